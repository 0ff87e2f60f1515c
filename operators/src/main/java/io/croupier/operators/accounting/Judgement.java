package io.croupier.operators.accounting;

import io.croupier.operators.report.Report;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.Locale;

/**
 * The outcome for one report.
 *
 * @param reason why, with what would be right and without any value of the gradient; empty if
 *     admitted
 */
record Judgement(Outcome outcome, String reason) {
  static final Judgement ADMITTED = new Judgement(Outcome.ADMITTED, "");

  /**
   * Bounds the reason, whatever the spec contains, so that no event exceeds {@link
   * Ledger#MAX_EVENT_BYTES}.
   */
  private static final int MAX_REASON_LENGTH = 1000;

  Judgement {
    if (reason.length() > MAX_REASON_LENGTH) {
      reason = reason.substring(0, MAX_REASON_LENGTH - 3) + "...";
    }
  }

  static Judgement refusedDeclaration(Report report, String right) {
    String level = report.level > 0 ? " with " + report.level : "";
    String declaration = report.declaration.name().toLowerCase(Locale.ROOT);
    return new Judgement(
        Outcome.REFUSED_DECLARATION, "declaration is " + declaration + level + ": " + right);
  }

  boolean isAdmitted() {
    return outcome == Outcome.ADMITTED;
  }
}
