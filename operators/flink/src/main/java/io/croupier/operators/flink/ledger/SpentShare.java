package io.croupier.operators.flink.ledger;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.Left;
import io.croupier.schemas.Spend;

/** The share of a user's limits that is spent, according to an accounting event. */
final class SpentShare {
  private static final double NO_LIMIT = -1;

  private SpentShare() {}

  /**
   * Returns the largest spent share, 0 to 1, of the limits on the model and on all models; -1
   * without limits.
   */
  static double of(AccountingEvent event) {
    double share = NO_LIMIT;
    if (event.hasLeftModel()) {
      share = of(AccountingEvents.countedOnModel(event), event.getLeftModel());
    }
    if (event.hasLeftUser()) {
      share = Math.max(share, of(AccountingEvents.countedOnAllModels(event), event.getLeftUser()));
    }
    return share;
  }

  /** A limit is the sum of what was spent and what is left; mu adds up in squares. */
  private static double of(Spend spent, Left left) {
    double share = NO_LIMIT;
    if (left.hasEpsilon()) {
      share = Math.max(share, share(spent.getEpsilon(), left.getEpsilon()));
    }
    if (left.hasEpsilonAtDelta()) {
      share = Math.max(share, share(spent.getEpsilonAtDelta(), left.getEpsilonAtDelta()));
    }
    if (left.hasMu()) {
      double mu = spent.getMuOfAll();
      share = Math.max(share, share(mu * mu, left.getMu() * left.getMu()));
    }
    if (left.hasReports()) {
      share = Math.max(share, share((double) spent.getReports(), (double) left.getReports()));
    }
    if (left.hasParticipations()) {
      share =
          Math.max(
              share, share((double) spent.getParticipations(), (double) left.getParticipations()));
    }
    return share;
  }

  /** Returns 1 if nothing is left. */
  private static double share(double spent, double left) {
    return left > 0 ? spent / (spent + left) : 1;
  }
}
