package io.croupier.operators.ledger;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.function.Supplier;

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

  static Judgement refusedDeclaration(Mechanism mechanism, String right) {
    String level = mechanism.level() > 0 ? " with " + unit(mechanism) + mechanism.level() : "";
    return new Judgement(
        Outcome.REFUSED_DECLARATION, "declaration is " + mechanism.name() + level + ": " + right);
  }

  /** What the level measures, where the name of the mechanism leaves that open. */
  private static String unit(Mechanism mechanism) {
    if (mechanism instanceof RandomisedResponseMechanism response) {
      return response.isMu() ? "mu " : "epsilon ";
    }
    return "";
  }

  /** Returns the first refusal of this and what comes next; this if there is none. */
  Judgement then(Supplier<Judgement> next) {
    if (!isAdmitted()) {
      return this;
    }
    Judgement second = next.get();
    return second.isAdmitted() ? this : second;
  }

  boolean isAdmitted() {
    return outcome == Outcome.ADMITTED || outcome == Outcome.GRANTED;
  }
}
