package io.croupier.operators.flink.restart;

import io.croupier.schemas.AccountingEvent;
import java.io.Closeable;
import java.io.IOException;
import java.io.Serializable;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;

/**
 * The committed outputs of the job, which a start compares with its state. Either all subtasks of
 * an operator open an output before their first record, or none does. An output is read to the end
 * that it had before any of them continued; the read waits until every transaction that was open
 * then has ended.
 */
public interface VisibleOutputs extends Serializable {
  /** Reads an output from the beginning. */
  long ALL = 0;

  /**
   * Opens the accounting events of this subtask's share: each partition of the accounting topic
   * belongs to one subtask.
   */
  Visible<AccountingEvent> accounting(StreamingRuntimeContext subtask) throws IOException;

  /**
   * Opens the accounted reports that this subtask compares: each partition of the accounting topic
   * belongs to one subtask.
   *
   * @param since end of the topic, whose later records are opened; {@link TopicEnd#UNKNOWN} if it
   *     isn't known
   * @param sinceMs time since which records are opened where {@code since} can't be used; in
   *     milliseconds since 1970
   */
  Visible<AccountedReport> accountedReports(
      TopicEnd since, long sinceMs, StreamingRuntimeContext subtask) throws IOException;

  /**
   * Waits until all subtasks have compared their share, and combines what they have found.
   *
   * @param found offsets by name
   * @return the highest offset that any subtask has found under each name
   */
  Map<String, Long> highest(Map<String, Long> found, StreamingRuntimeContext subtask)
      throws IOException;

  /**
   * Looks up where the accounting topic ends now, and follows its end from now on, and how far
   * readers get on the subtask's share of the partitions of both outputs.
   */
  TopicEnd.Follower followAccounting(TaskInfo subtask) throws IOException;

  /**
   * Reads the newest published round of each model since a time in milliseconds since 1970. Each
   * subtask reads some partitions of the updates topic, and receives the rounds of all. Of updates
   * with the same round, it receives one.
   */
  Map<String, PublishedRound> rounds(long sinceMs, StreamingRuntimeContext subtask)
      throws IOException;

  /** Returns the name of the topic that {@link #accounting} is read from. */
  String accountingTopic();

  /** Returns the name of the topic that {@link #rounds} reads. */
  String updatesTopic();

  /**
   * Committed records of one output.
   *
   * @param <T> what is read of a record
   */
  interface Visible<T> extends Closeable {

    /**
     * Passes the records to {@code more}, in the order of each partition, until it returns false.
     * {@code more} may throw an IllegalArgumentException, whose message explains why no ledger
     * emits such an event.
     *
     * @throws RefusedStartException if there is such a record, or one that can't be read
     */
    void forEach(Predicate<T> more) throws IOException;
  }

  /**
   * A report that an accounting event names.
   *
   * @param userId its user
   * @param topic the topic of the report
   * @param partition the partition of the report
   * @param offset its offset
   */
  record AccountedReport(String userId, String topic, int partition, long offset) {
    /** Contains no user. */
    @Override
    public String toString() {
      return "%s-%d@%d".formatted(topic, partition, offset);
    }
  }

  /**
   * A round that was published.
   *
   * @param atMs when the update was published, according to the update; milliseconds since 1970
   */
  record PublishedRound(String modelId, long round, long atMs) {}
}
