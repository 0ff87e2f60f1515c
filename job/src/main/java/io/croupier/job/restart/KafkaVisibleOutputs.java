package io.croupier.job.restart;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import io.croupier.job.restart.CommittedTopic.Section;
import io.croupier.operators.flink.restart.AccountingRecords;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.operators.flink.restart.TopicEnd;
import io.croupier.operators.flink.restart.VisibleOutputs;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.ModelUpdate;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The committed records of the accounting and updates topics, read with separate consumers. */
public final class KafkaVisibleOutputs implements VisibleOutputs {
  private static final long serialVersionUID = 1;
  private static final Logger LOG = LoggerFactory.getLogger(KafkaVisibleOutputs.class);
  private static final int ROUND_TAG = varintTag(ModelUpdate.ROUND_FIELD_NUMBER);
  private static final int PUBLISHED_AT_MS_TAG =
      varintTag(ModelUpdate.PUBLISHED_AT_MS_FIELD_NUMBER);

  private final Map<String, String> kafka;
  private final String accountingTopic;
  private final String updatesTopic;
  private final Set<String> ownTransactions;

  /**
   * Creates the outputs.
   *
   * @param kafka properties of Kafka's clients
   * @param ownTransactions prefixes of the transactional ids whose open transactions may be aborted
   */
  public KafkaVisibleOutputs(
      Map<String, String> kafka,
      String accountingTopic,
      String updatesTopic,
      Set<String> ownTransactions) {
    this.kafka = Map.copyOf(kafka);
    this.accountingTopic = accountingTopic;
    this.updatesTopic = updatesTopic;
    this.ownTransactions = ownTransactions;
  }

  @Override
  public String accountingTopic() {
    return accountingTopic;
  }

  @Override
  public String updatesTopic() {
    return updatesTopic;
  }

  @Override
  public Visible<AccountingEvent> accounting(StreamingRuntimeContext subtask) throws IOException {
    return open(
        accountingTopic,
        share(TopicEnd.UNKNOWN, ALL, subtask),
        subtask,
        KafkaVisibleOutputs::showEvent);
  }

  @Override
  public Visible<AccountedReport> accountedReports(
      TopicEnd since, long sinceMs, StreamingRuntimeContext subtask) throws IOException {
    AccountedReports reports = new AccountedReports();
    return open(
        accountingTopic,
        share(since, sinceMs, subtask),
        subtask,
        (record, more) -> more.test(reports.read(record)));
  }

  @Override
  public Map<String, Long> highest(Map<String, Long> found, StreamingRuntimeContext subtask)
      throws IOException {
    Map<String, long[]> own = new HashMap<>();
    found.forEach((name, offset) -> own.put(name, new long[] {offset}));
    Map<String, Long> highest = new HashMap<>();
    new SubtaskBarrier(subtask)
        .highest(accountingTopic + " compared", own, SubtaskBarrier.READ)
        .forEach((name, offset) -> highest.put(name, offset[0]));
    return highest;
  }

  @Override
  public TopicEnd.Follower followAccounting(TaskInfo task) throws IOException {
    int share = task.getIndexOfThisSubtask();
    int shares = task.getNumberOfParallelSubtasks();
    return new FollowedEnd(
        kafka, accountingTopic, Set.of(updatesTopic), partition -> partition % shares == share);
  }

  @Override
  public Map<String, PublishedRound> rounds(long sinceMs, StreamingRuntimeContext subtask)
      throws IOException {
    Map<String, long[]> own = new HashMap<>();
    try (Visible<PublishedRound> published =
        open(
            updatesTopic,
            share(TopicEnd.UNKNOWN, sinceMs, subtask),
            subtask,
            KafkaVisibleOutputs::showRound)) {
      published.forEach(
          update -> {
            own.merge(
                update.modelId(),
                new long[] {update.round(), update.atMs()},
                (a, b) -> b[0] >= a[0] ? b : a);
            return true;
          });
    }
    Map<String, PublishedRound> rounds = new HashMap<>();
    new SubtaskBarrier(subtask)
        .highest(updatesTopic + " compared", own, SubtaskBarrier.READ)
        .forEach(
            (modelId, round) ->
                rounds.put(modelId, new PublishedRound(modelId, round[0], round[1])));
    return rounds;
  }

  /** The partitions that one subtask reads. */
  private static Section share(TopicEnd since, long sinceMs, StreamingRuntimeContext subtask) {
    TaskInfo task = subtask.getTaskInfo();
    return new Section(
        since, sinceMs, task.getIndexOfThisSubtask(), task.getNumberOfParallelSubtasks());
  }

  /**
   * Reads an accounting event.
   *
   * @throws RefusedStartException if no ledger can have written it
   */
  static AccountingEvent event(ConsumerRecord<byte[], byte[]> record) {
    return AccountingRecords.event(
        record.topic(), record.partition(), record.offset(), record.key(), record.value());
  }

  /**
   * Passes an accounting event to {@code more}; returns whether to continue.
   *
   * @throws RefusedStartException if the record is not an event, or {@code more} rejects it
   */
  static boolean showEvent(ConsumerRecord<byte[], byte[]> record, Predicate<AccountingEvent> more) {
    AccountingEvent event = event(record);
    try {
      return more.test(event);
    } catch (IllegalArgumentException e) {
      throw AccountingRecords.odd(
          record.topic(), record.partition(), record.offset(), e.getMessage());
    }
  }

  private static int varintTag(int field) {
    return field << 3 | WireFormat.WIRETYPE_VARINT;
  }

  private static boolean showRound(
      ConsumerRecord<byte[], byte[]> record, Predicate<PublishedRound> more) {
    Optional<PublishedRound> round = round(record);
    return round.isEmpty() || more.test(round.get());
  }

  /**
   * The round of an update, without its vectors; empty for tombstones and records that are not
   * updates.
   */
  static Optional<PublishedRound> round(ConsumerRecord<byte[], byte[]> record) {
    if (record.value() == null || record.key() == null) {
      return Optional.empty();
    }
    CodedInputStream in = CodedInputStream.newInstance(record.value());
    long round = 0;
    long atMs = 0;
    try {
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        if (tag == ROUND_TAG) {
          round = in.readInt64();
        } else if (tag == PUBLISHED_AT_MS_TAG) {
          atMs = in.readInt64();
        } else {
          in.skipField(tag);
        }
      }
    } catch (IOException e) {
      LOG.warn(
          "The record at {}-{}@{} is not a ModelUpdate and is skipped: another program"
              + " writes to the topic",
          record.topic(),
          record.partition(),
          record.offset());
      return Optional.empty();
    }
    return Optional.of(new PublishedRound(new String(record.key(), UTF_8), round, atMs));
  }

  private <T> Visible<T> open(
      String topic, Section section, StreamingRuntimeContext subtask, RecordHandler<T> showing)
      throws IOException {
    CommittedTopic records = CommittedTopic.open(kafka, topic, section, ownTransactions);
    try {
      new SubtaskBarrier(subtask).await(topic);
    } catch (IOException e) {
      records.close();
      throw e;
    }
    return new Visible<>() {
      @Override
      public void forEach(Predicate<T> more) throws IOException {
        records.forEach(record -> showing.show(record, more));
      }

      @Override
      public void close() {
        records.close();
      }
    };
  }

  /** Passes on the content of a record, if it has any; returns whether to continue. */
  @FunctionalInterface
  private interface RecordHandler<T> {
    boolean show(ConsumerRecord<byte[], byte[]> record, Predicate<T> more);
  }
}
