package io.croupier.job.restart;

import io.croupier.job.restart.CommittedTopic.Section;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.operators.flink.restart.TopicEnd;
import java.io.IOException;
import java.util.Map;
import java.util.Set;

/** Which accounting events a rebuild adds up: all, up to the end of the topic at its start. */
public final class EventsToRebuild {
  private final Map<String, String> kafka;
  private final String accountingTopic;
  private final Set<String> ownTransactions;

  /**
   * Creates the reader of the topic's bounds.
   *
   * @param kafka properties of Kafka's clients
   * @param ownTransactions prefixes of the transactional ids whose open transactions may be aborted
   */
  public EventsToRebuild(
      Map<String, String> kafka, String accountingTopic, Set<String> ownTransactions) {
    this.kafka = Map.copyOf(kafka);
    this.accountingTopic = accountingTopic;
    this.ownTransactions = ownTransactions;
  }

  /**
   * Returns the end of the topic, once every transaction that was open before it has ended.
   *
   * @throws RefusedStartException if events were deleted: if a user has sent no report since, no
   *     later total includes deleted events
   * @throws IOException if the brokers don't answer, or a transaction stays open
   */
  public TopicEnd end() throws IOException {
    try (CommittedTopic all = open(TopicEnd.UNKNOWN)) {
      all.forgottenBefore().forEach(this::refuse);
    }
    Brokers brokers = new Brokers(kafka);
    String what = "the end of " + accountingTopic;
    TopicEnd end = brokers.ask(what, admin -> new TopicOffsets(admin, accountingTopic).end());
    TopicEnd stable =
        brokers.ask(what, admin -> new TopicOffsets(admin, accountingTopic).stableEnd());
    try (CommittedTopic open = open(stable)) {
      open.forEach(record -> true);
    }
    return end;
  }

  private void refuse(int partition, long offset) {
    throw new RefusedStartException(
        ("The ledger can't be rebuilt: %s-%d of the accounting topic begins at offset %d,"
                + " so earlier accounts were deleted, and their users would get budget back."
                + " Restore the newest savepoint or checkpoint; if there is none, the only"
                + " option left is --new-ledger, which forgets all accounts")
            .formatted(accountingTopic, partition, offset));
  }

  /**
   * Requires that a reader of all events up to an end has missed none: none was deleted before it
   * could be read, and none was committed after that end.
   *
   * @throws RefusedStartException if one was, or the topic was created again
   * @throws IOException if the brokers don't answer, or a transaction stays open
   */
  public void requireLast(TopicEnd end) throws IOException {
    TopicEnd now = end();
    boolean isSame = end.isOfSameTopic(now) && end.offsets().size() == now.offsets().size();
    boolean[] last = {isSame};
    if (isSame) {
      try (CommittedTopic later = open(end)) {
        later.forEach(record -> last[0] = false);
      }
    }
    if (!last[0]) {
      throw new RefusedStartException(
          ("The accounting topic %s has received events while the ledger was being rebuilt, or it"
                  + " was created again. Stop the job that runs on it, and start again")
              .formatted(accountingTopic));
    }
  }

  private CommittedTopic open(TopicEnd since) throws IOException {
    return CommittedTopic.open(
        kafka, accountingTopic, Section.since(since), OpenTransactions.abort(ownTransactions));
  }
}
