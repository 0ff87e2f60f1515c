package io.croupier.operators.flink;

import io.croupier.schemas.AccountingEvent;
import java.io.Closeable;
import java.io.IOException;
import java.io.Serializable;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;

/**
 * What anybody can see of the job's outputs, for a start that compares it with its state. Every
 * subtask of an operator opens an output before it takes in its first record, or none does: an
 * output is read to the end that it had before any of them went on, and until every transaction
 * that was open then has ended.
 */
public interface VisibleOutputs extends Serializable {
  /** From the beginning. */
  long ALL = 0;

  /** The accounting events. */
  Visible<AccountingEvent> accounting(long sinceMs, StreamingRuntimeContext subtask)
      throws IOException;

  /** The rounds of models that were published. */
  Visible<PublishedRound> rounds(long sinceMs, StreamingRuntimeContext subtask) throws IOException;

  /** Name of the topic that {@link #accounting} is read from. */
  String accountingTopic();

  /** Name of the topic that {@link #rounds} is read from. */
  String updatesTopic();

  /**
   * Committed records of one output.
   *
   * @param <T> what is told of a record
   */
  interface Visible<T> extends Closeable {

    /**
     * Shows them, in the order of each partition, until {@code more} says false. It may throw an
     * IllegalArgumentException, whose message says why no ledger tells an event like that.
     *
     * @throws RefusedStartException if there is a record like that, or one that can't be read
     */
    void forEach(Predicate<T> more) throws IOException;

    /**
     * The first offset of each partition that doesn't begin with its first record any more; told of
     * an output that is read from the beginning.
     */
    Map<Integer, Long> forgottenBefore();
  }

  /**
   * A round that was published.
   *
   * @param atMs when, as its update says; milliseconds since 1970
   */
  record PublishedRound(String modelId, long round, long atMs) {}
}
