package io.croupier.job.restart;

import io.croupier.job.restart.CommittedTopic.Section;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.operators.flink.restart.TopicEnd;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;

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
    TopicEnd end;
    TopicEnd stable;
    try (Admin admin = Admin.create(Map.copyOf(kafka))) {
      TopicOffsets offsets = new TopicOffsets(admin, accountingTopic);
      end = offsets.end();
      stable = offsets.stableEnd();
    } catch (ExecutionException | KafkaException e) {
      throw new IOException("The brokers don't return the end of " + accountingTopic, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while looking up the end of " + accountingTopic, e);
    }
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
   * Returns whether an end is still that of the topic's last event: the topic was not created
   * again, and no event was committed since.
   *
   * @param now the end of the topic
   */
  public boolean isLast(TopicEnd recorded, TopicEnd now) throws IOException {
    if (!recorded.isOfSameTopic(now) || recorded.offsets().size() != now.offsets().size()) {
      return false;
    }
    boolean[] last = {true};
    try (CommittedTopic later = open(recorded)) {
      later.forEach(
          record -> {
            last[0] = false;
            return false;
          });
    }
    return last[0];
  }

  /**
   * Requires that a reader of all events up to an end has missed none: none was deleted before it
   * could be read, and none was committed after that end.
   *
   * @throws RefusedStartException if one was, or the topic was created again
   * @throws IOException if the brokers don't answer, or a transaction stays open
   */
  public void requireLast(TopicEnd end) throws IOException {
    if (!isLast(end, end())) {
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
