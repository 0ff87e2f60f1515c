package io.croupier.operators.ledger;

import io.croupier.schemas.AccountingEvent;
import java.util.function.BiConsumer;

/**
 * What a report asks of its sender's account.
 *
 * @param judgement of everything but the limits
 * @param cost of the report, if it is charged
 * @param kept what happens beside the charge if the limits admit the report, to the totals on its
 *     model and to its event
 */
record AccountClaim(
    Judgement judgement, DeclaredCost cost, BiConsumer<Totals, AccountingEvent.Builder> kept) {

  /** A claim to the charge alone. */
  AccountClaim(Judgement judgement, DeclaredCost cost) {
    this(judgement, cost, (spent, event) -> {});
  }
}
