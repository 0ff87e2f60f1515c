package io.croupier.operators.flink.restart;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.ModelUpdate;
import java.io.Closeable;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The committed outputs of the job, which a start compares with its state. Every read waits until
 * the transactions have ended that were open before it. The progress topic is read to its end; the
 * others are read to the ends that they had when the job was submitted, since subtasks that have
 * started already write to them.
 */
public interface VisibleOutputs extends Serializable {
  /** Reads an output from the beginning. */
  long ALL = 0;

  /**
   * Reads the progress topic. The sinks of all subtasks commit or abort the transactions that were
   * open; this aborts those that no sink knows.
   *
   * @param listed whether the restored state contains what a record states, so that a sink commits
   *     its transaction
   */
  CommittedProgress progress(Predicate<ProgressRecord> listed) throws IOException;

  /**
   * Passes accounting events to {@code more}, in the order of each partition, until it returns
   * false.
   *
   * @param since end of the topic, whose later events are read; {@link TopicEnd#UNKNOWN} if it
   *     isn't known
   * @param sinceMs time since which events are read where {@code since} can't be used; in
   *     milliseconds since 1970
   * @throws RefusedStartException if there is a record that no ledger can have written
   */
  void accounting(TopicEnd since, long sinceMs, Predicate<AccountingEvent> more) throws IOException;

  /**
   * Reads the newest published round of each model from its updates since a time, in milliseconds
   * since 1970. Of updates with the same round, it returns one.
   */
  Map<String, PublishedRound> rounds(long sinceMs) throws IOException;

  /**
   * Reads the newest update of each model that is not retired.
   *
   * @param models which models
   */
  Map<String, ModelUpdate> updates(Predicate<String> models) throws IOException;

  /**
   * Lists the job's transactions that are open and have no record of progress: those of an earlier
   * run, and those that other subtasks of this run have begun.
   */
  LeftOpen leftOpen() throws IOException;

  /** Looks up what the topics of reports and of erasures contain now. */
  List<SourceRange> sources() throws IOException;

  /**
   * Follows how far readers of the accounting topic and of the updates get, and the job on its
   * inputs.
   *
   * @param share the outputs' partitions are shared among as many subtasks; this one's number, from
   *     0; the first follows the inputs
   */
  Readers readers(int share, int shares) throws IOException;

  /** Returns the name of the topic that {@link #accounting} is read from. */
  String accountingTopic();

  /** Returns the name of the topic that {@link #rounds} reads. */
  String updatesTopic();

  /** Returns the name of the topic that {@link #progress} reads. */
  String progressTopic();

  /** How far readers of committed records, and the job itself, get on some partitions. */
  interface Readers extends Closeable {

    /** Starts to look it up, unless an earlier look-up still runs. */
    void lookUp();

    /**
     * Returns the longest time for which readers of one of the partitions have not advanced
     * although records follow, as of the last look-up; in milliseconds, 0 if none is held back.
     */
    long heldMs();

    /**
     * Returns how many partitions of the inputs have records of which the job has read none, as of
     * the last look-up; 0 except for the first share.
     */
    long unreadPartitions();

    /** Ends a look-up that still runs. */
    @Override
    void close();
  }

  /**
   * Transactions that were open at a start. A sink doesn't abort one whose name the restored state
   * lists, even if the name belongs to a later transaction by now.
   */
  @FunctionalInterface
  interface LeftOpen {
    /**
     * Aborts those that are still open and still have no record of progress. A checkpoint of this
     * run must be complete: then the sinks have committed all that the restored state lists, and
     * the transactions of this run that were open at its start have such a record. Doesn't wait.
     */
    void abort();
  }

  /**
   * What a gradient topic contains.
   *
   * @param beginning the first offset of each partition
   * @param end the end of each partition
   */
  record SourceRange(String topic, TopicEnd beginning, TopicEnd end) {}

  /**
   * A round that was published: the last one of its model.
   *
   * @param atMs when the update was published, according to the update; milliseconds since 1970; 0
   *     if it isn't known
   */
  record PublishedRound(String modelId, long round, long atMs) implements ProgressRecord {
    @Override
    public OutboundRecord write() {
      return ProgressRecord.record(
          MODEL + modelId,
          ByteBuffer.allocate(1 + 2 * Long.BYTES)
              .put(VERSION)
              .putLong(round)
              .putLong(atMs)
              .array());
    }
  }
}
