package io.croupier.operators.accounting;

import io.croupier.accounting.tree.RunningZeta;

/** What one user was charged for one model. In keyed state; never expires. */
public final class ModelAccount {
  /** The model. */
  public String modelId;

  /** The totals of the model. */
  public Totals totals = new Totals();

  /** The latest charge for a tree of a central model; null if there is none. */
  public RunningZeta runningZeta;

  /** The charge for all participations in a central model; null if there is none. */
  public WholeCharge wholeCharge;

  /** The charges on each day; null if no limit had a period. */
  public DailyTotals days;

  /** Creates empty totals without a model, for a reader. */
  public ModelAccount() {}

  /** Creates empty totals. */
  public ModelAccount(String modelId) {
    this.modelId = modelId;
  }
}
