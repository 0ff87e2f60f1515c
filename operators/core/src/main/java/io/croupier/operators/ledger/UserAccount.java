package io.croupier.operators.ledger;

import io.croupier.accounting.tree.RunningZeta;

/**
 * One user's part of the ledger's state, which the caller keeps. Judging a report accesses only the
 * entries of its model and its device, and the charges for noise only if it is central. Callers may
 * change returned objects; a change counts only once the object is stored again.
 */
public interface UserAccount {

  /**
   * Forgets everything but the totals over all models, with which the totals of each model begin
   * from then on: what was spent on a model is no more than that. An account without charges is a
   * new one afterwards.
   *
   * @param days what is left of the charges over all models on each day
   */
  void erase(DailyTotals days);

  /** Returns whether charges were erased. */
  boolean isErased();

  /** Returns the totals over all models; empty ones if there are none yet. */
  Totals userTotals();

  /** Stores the totals over all models. */
  void storeUserTotals(Totals totals);

  /** Returns the totals of one model; without any, empty ones or those of the erasure. */
  Totals modelTotals(String modelId);

  /** Stores the totals of one model. */
  void storeModelTotals(String modelId, Totals totals);

  /** Returns the charges over all models on each day; none if no limit had a period. */
  DailyTotals userDays();

  /** Stores the charges over all models on each day, which must not be changed. */
  void storeUserDays(DailyTotals days);

  /** Returns the charges of one model on each day; none if no limit had a period. */
  DailyTotals modelDays(String modelId);

  /** Stores the charges of one model on each day, which must not be changed. */
  void storeModelDays(String modelId, DailyTotals days);

  /** Returns the latest charge for a tree of a central model; an empty one if there is none. */
  RunningZeta runningZeta(String modelId);

  /** Stores the charge for a tree of a central model. */
  void storeRunningZeta(String modelId, RunningZeta running);

  /**
   * Returns the charge for all participations in a central model; an empty one if there is none.
   */
  WholeCharge wholeCharge(String modelId);

  /**
   * Stores the charge for all participations in a central model. It may be shared and must not be
   * changed.
   */
  void storeWholeCharge(String modelId, WholeCharge charge);

  /** Returns the newest token of one model, as it was stored; null if the user has had none. */
  byte[] token(String modelId);

  /** Stores the newest token of one model, whose format is up to {@link TokenGrants}. */
  void storeToken(String modelId, byte[] token);

  /** Returns the window of one device; a new one if the device is not known. */
  DeviceWindow window(String deviceId);

  /**
   * Stores the window of one device, which is then the last used one. {@link DeviceWindows} has the
   * rules for many devices.
   */
  void storeWindow(DeviceWindow window);
}
