package io.croupier.operators.accounting;

import io.croupier.schemas.AccountingEvent.Outcome;

/**
 * The outcome for one report.
 *
 * @param reason why, naming what would be right and no value of the gradient; empty if admitted
 */
record Judgement(Outcome outcome, String reason) {
  static final Judgement ADMITTED = new Judgement(Outcome.ADMITTED, "");

  boolean isAdmitted() {
    return outcome == Outcome.ADMITTED;
  }
}
