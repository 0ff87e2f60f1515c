package io.croupier.operators.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import org.assertj.core.api.AbstractStringAssert;

/** What the ledger decided about a report. */
public final class EventAssertions {
  private EventAssertions() {}

  /** Asserts that the report may be used. */
  public static void assertAdmitted(AccountingEvent event) {
    assertOutcome(event, Outcome.ADMITTED).isEmpty();
  }

  /** Asserts an outcome, and returns assertions about its reason. */
  public static AbstractStringAssert<?> assertOutcome(AccountingEvent event, Outcome outcome) {
    assertThat(event.getOutcome()).as(event.getReason()).isEqualTo(outcome);
    return assertThat(event.getReason());
  }
}
