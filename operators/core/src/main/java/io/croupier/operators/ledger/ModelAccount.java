package io.croupier.operators.ledger;

import io.croupier.accounting.tree.RunningZeta;
import java.util.Arrays;

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

  /** Returns the account of a model; null if it is not among these. */
  static ModelAccount find(ModelAccount[] models, String modelId) {
    for (ModelAccount model : models) {
      if (model.modelId.equals(modelId)) {
        return model;
      }
    }
    return null;
  }

  /** Returns these accounts and one of a model that is not among them. */
  static ModelAccount[] with(ModelAccount[] models, ModelAccount model) {
    ModelAccount[] more = Arrays.copyOf(models, models.length + 1);
    more[models.length] = model;
    return more;
  }
}
