package io.croupier.operators.accounting;

import io.croupier.accounting.tree.RunningZeta;

/**
 * One user's part of the ledger's state, wherever the caller keeps it. To judge one report touches
 * only the entries of its model and its device; what was charged for its noise only if it is
 * central. What a method returns may be changed, and counts as stored once it is handed back.
 */
public interface UserAccount {

  /** Totals over all models; empty if there is nothing yet. */
  Totals userTotals();

  /** Stores the totals over all models. */
  void storeUserTotals(Totals totals);

  /** Totals of one model; empty if there is nothing yet. */
  Totals modelTotals(String modelId);

  /** Stores the totals of one model. */
  void storeModelTotals(String modelId, Totals totals);

  /** What was charged last for a tree of a central model; that of no tree if there is none. */
  RunningZeta runningZeta(String modelId);

  /** Stores what was charged for a tree of a central model. */
  void storeRunningZeta(String modelId, RunningZeta running);

  /** What was charged at once for a central model; nothing if nothing was. */
  WholeCharge wholeCharge(String modelId);

  /** Stores what was charged at once for a central model; may be shared, so not to be changed. */
  void storeWholeCharge(String modelId, WholeCharge charge);

  /** The window of one device; a new one if the device is not known. */
  ReplayWindow window(String deviceId);

  /** Stores the window of one device. */
  void storeWindow(String deviceId, ReplayWindow window);

  /** Number of devices whose window is stored. Asked only when a device is not known. */
  int devices();
}
