package io.croupier.operators.ledger;

import io.croupier.accounting.mechanism.Cost;
import io.croupier.schemas.Spend;

/**
 * The cost of a declared mechanism on a model, as judging, charging and recording a report need it.
 * Its conversion takes longer than the rest of judging a report, so it is kept from one report to
 * the next.
 *
 * @param cost of the mechanism
 * @param totals of one report of this cost; must not be changed
 * @param spend the record of {@code totals}
 */
record DeclaredCost(Cost cost, Totals totals, Spend spend) {

  static DeclaredCost of(Cost cost) {
    Totals totals = Totals.of(cost);
    return new DeclaredCost(cost, totals, totals.toProto().build());
  }
}
