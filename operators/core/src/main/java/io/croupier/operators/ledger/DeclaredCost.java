package io.croupier.operators.ledger;

import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.Cost;
import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.schemas.Spend;

/**
 * The cost of a declared mechanism on a model, as judging, charging and recording a report need it.
 * Its conversion takes longer than the rest of judging a report, so it is kept from one report to
 * the next.
 *
 * @param cost of the mechanism
 * @param totals of one report of this cost; must not be changed
 * @param spend the record of {@code totals}
 * @param leastScale on which the cost depends beside the declaration; 0 if on none
 */
record DeclaredCost(Cost cost, Totals totals, Spend spend, double leastScale) {

  /** Returns a cost that depends on no model. */
  static DeclaredCost of(Cost cost) {
    return of(cost, 0);
  }

  /** Returns the cost of a mechanism on a model. */
  static DeclaredCost of(Mechanism mechanism, GradientSpace space) {
    return of(
        mechanism.cost(space),
        mechanism instanceof CoordinateLaplaceMechanism laplace
                && laplace.effectiveCoordinates() > 0
            ? laplace.leastScale(space)
            : 0);
  }

  private static DeclaredCost of(Cost cost, double leastScale) {
    Totals totals = Totals.of(cost);
    return new DeclaredCost(cost, totals, totals.toProto().build(), leastScale);
  }
}
