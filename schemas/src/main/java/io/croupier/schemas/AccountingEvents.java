package io.croupier.schemas;

import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.List;

/** Checks whether a ledger can have written an {@link AccountingEvent}. */
public final class AccountingEvents {
  /** Upper bound on partitions, more than any topic has; it bounds the state kept per partition. */
  private static final int MAX_PARTITIONS = 1_000_000;

  /** Kafka's own limit. */
  private static final int MAX_TOPIC_NAME = 249;

  private AccountingEvents() {}

  /**
   * Every property of {@code event} that no ledger writes, as sentences that name the field and its
   * valid values, and never quote a user; empty if the event is well-formed. Of its numbers only
   * the sequence and the source are checked here; the computation of accounts checks the others.
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
        "the outcome of the report");
    if (violations.required("source", event.hasSource(), "the position of the report")) {
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
