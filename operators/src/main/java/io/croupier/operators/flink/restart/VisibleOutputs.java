package io.croupier.operators.flink.restart;

import io.croupier.schemas.AccountingEvent;
import java.io.Closeable;
import java.io.IOException;
import java.io.Serializable;
import java.util.Map;
import java.util.function.Predicate;
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

  /** Opens the accounting events since a time in milliseconds since 1970. */
  Visible<AccountingEvent> accounting(long sinceMs, StreamingRuntimeContext subtask)
      throws IOException;

  /** Opens the published rounds of models since a time in milliseconds since 1970. */
  Visible<PublishedRound> rounds(long sinceMs, StreamingRuntimeContext subtask) throws IOException;

  /** Returns the name of the topic that {@link #accounting} is read from. */
  String accountingTopic();

  /** Returns the name of the topic that {@link #rounds} is read from. */
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

    /**
     * Returns the first offset of each partition whose oldest records were deleted, for an output
     * that is read from the beginning.
     */
    Map<Integer, Long> forgottenBefore();
  }

  /**
   * A round that was published.
   *
   * @param atMs when the update was published, according to the update; milliseconds since 1970
   */
  record PublishedRound(String modelId, long round, long atMs) {}
}
