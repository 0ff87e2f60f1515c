package io.croupier.schemas;

import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.List;

/** What makes an {@link AccountingEvent} one that a ledger may have written. */
public final class AccountingEvents {
  /** More than any topic has; what is kept by partition stays small. */
  private static final int MAX_PARTITIONS = 1_000_000;

  /** Kafka's own limit. */
  private static final int MAX_TOPIC_NAME = 249;

  private AccountingEvents() {}

  /**
   * Everything about {@code event} that no ledger writes, as sentences that name the field and what
   * would be right, and never quote a user; empty if it is well-formed. Of its numbers only the
   * sequence is asked for: the rest are what accounts are computed from.
   */
  public static List<String> violations(AccountingEvent event) {
    Violations violations = new Violations();
    GradientReports.checkIds(
        event.getModelId(), event.getUserId(), event.getDeviceId(), violations);
    violations.atLeastZero("sequence", event.hasSequence(), event.getSequence());
    violations.require(
        event.getOutcome() != Outcome.OUTCOME_UNSPECIFIED,
        "outcome",
        event.getOutcome(),
        "what became of the report");
    if (violations.required("source", event.hasSource(), "where the report was")) {
      checkSource(event.getSource(), violations);
    }
    return violations.list();
  }

  private static void checkSource(Position source, Violations violations) {
    int length = source.getTopic().length();
    violations.require(
        length >= 1 && length <= MAX_TOPIC_NAME,
        "source.topic",
        "of " + length + " characters",
        "a topic's name, of 1 to " + MAX_TOPIC_NAME);
    int partition = source.getPartition();
    violations.require(
        partition >= 0 && partition < MAX_PARTITIONS,
        "source.partition",
        partition,
        "from 0 to " + (MAX_PARTITIONS - 1));
    violations.atLeastZero("source.offset", source.hasOffset(), source.getOffset());
  }
}
