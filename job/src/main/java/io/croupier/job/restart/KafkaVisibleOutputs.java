package io.croupier.job.restart;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.croupier.job.restart.CommittedTopic.RecordVisitor;
import io.croupier.job.restart.CommittedTopic.Section;
import io.croupier.operators.flink.restart.AccountingRecords;
import io.croupier.operators.flink.restart.CommittedProgress;
import io.croupier.operators.flink.restart.ProgressRecord;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.operators.flink.restart.SourcePositions.PositionVisitor;
import io.croupier.operators.flink.restart.TopicEnd;
import io.croupier.operators.flink.restart.VisibleOutputs;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Position;
import io.croupier.schemas.Topics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The committed records of the job's outputs, read with separate consumers. */
public final class KafkaVisibleOutputs implements VisibleOutputs {
  private static final long serialVersionUID = 1;
  private static final Logger LOG = LoggerFactory.getLogger(KafkaVisibleOutputs.class);
  private static final int ROUND_TAG = varintTag(ModelUpdate.ROUND_FIELD_NUMBER);
  private static final int PUBLISHED_AT_MS_TAG =
      varintTag(ModelUpdate.PUBLISHED_AT_MS_FIELD_NUMBER);

  private final Map<String, String> kafka;
  private final Topics topics;
  private final OutputEnds ends;
  private final Set<String> written;
  private final Set<String> ownTransactions;
  private final JobInputs inputs;

  /**
   * Creates the outputs.
   *
   * @param kafka properties of Kafka's clients
   * @param ends where the outputs ended when the job was submitted
   * @param written names of all topics that the sinks write to
   * @param ownTransactions prefixes of the transactional ids whose open transactions may be aborted
   * @param inputs what the job reads
   */
  public KafkaVisibleOutputs(
      Map<String, String> kafka,
      Topics topics,
      OutputEnds ends,
      Set<String> written,
      Set<String> ownTransactions,
      JobInputs inputs) {
    this.kafka = Map.copyOf(kafka);
    this.topics = topics;
    this.ends = ends;
    this.written = Set.copyOf(written);
    this.ownTransactions = ownTransactions;
    this.inputs = inputs;
  }

  @Override
  public String accountingTopic() {
    return topics.accounting();
  }

  @Override
  public String updatesTopic() {
    return topics.updates();
  }

  @Override
  public String progressTopic() {
    return topics.progress();
  }

  @Override
  public CommittedProgress progress(Predicate<ProgressRecord> listed) throws IOException {
    OpenTransactions open =
        OpenTransactions.abortUnlisted(
            ownTransactions, first -> first.value() == null || listed.test(progress(first)));
    try (CommittedTopic records =
        CommittedTopic.open(kafka, topics.progress(), Section.all(), open)) {
      // Of most keys, the topic still has many older records.
      Map<ByteBuffer, ConsumerRecord<byte[], byte[]>> newest = new HashMap<>();
      records.forEach(
          record -> {
            if (record.key() != null && record.value() != null) {
              newest.put(ByteBuffer.wrap(record.key()), record);
            }
            return true;
          });
      CommittedProgress committed = new CommittedProgress(records.end());
      newest
          .values()
          .forEach(record -> committed.add(progress(record), record.partition(), record.offset()));
      return committed;
    }
  }

  private static ProgressRecord progress(ConsumerRecord<byte[], byte[]> record) {
    try {
      return ProgressRecord.read(record.key(), record.value());
    } catch (IOException e) {
      throw new RefusedStartException(
          ("The record at %s-%d@%d is not a record of progress of this release: %s. Another program"
                  + " or a later release writes to the topic: restrict it to the job")
              .formatted(record.topic(), record.partition(), record.offset(), e.getMessage()));
    }
  }

  @Override
  public void accounting(TopicEnd since, long sinceMs, Predicate<AccountingEvent> more)
      throws IOException {
    forEachEvent(
        new Section(since, sinceMs, Optional.of(ends.accounting())),
        OpenTransactions.leave(),
        more);
  }

  private void forEachEvent(Section section, OpenTransactions open, Predicate<AccountingEvent> more)
      throws IOException {
    try (CommittedTopic events = CommittedTopic.open(kafka, topics.accounting(), section, open)) {
      events.forEach(record -> isDeletion(record) || more.test(event(record)));
    }
  }

  @Override
  public Map<String, PublishedRound> rounds(long sinceMs) throws IOException {
    Map<String, PublishedRound> rounds = new HashMap<>();
    forEachUpdate(
        sinceMs,
        record -> {
          round(record)
              .ifPresent(
                  update ->
                      rounds.merge(
                          update.modelId(), update, (a, b) -> b.round() >= a.round() ? b : a));
          return true;
        });
    return rounds;
  }

  /**
   * Returns the offset behind the last judged report of each source partition, as far as records of
   * progress or events have it. Aborts what an earlier run has left open there, so no state may be
   * restored.
   *
   * @param hasAccounts whether events are read; a job that refuses to start with any needn't
   */
  Map<TopicPartition, Long> behindJudged(boolean hasAccounts) throws IOException {
    Map<TopicPartition, Long> behind = new HashMap<>();
    PositionVisitor judged =
        (topic, partition, offset) ->
            behind.merge(new TopicPartition(topic, partition), offset + 1, Math::max);
    progress(record -> false).forEachJudged(judged);
    if (hasAccounts) {
      forEachEvent(
          new Section(TopicEnd.UNKNOWN, ALL, Optional.of(ends.accounting())),
          OpenTransactions.abort(ownTransactions),
          event -> {
            Position source = event.getSource();
            judged.visit(source.getTopic(), source.getPartition(), source.getOffset());
            return true;
          });
    }
    return behind;
  }

  private void forEachUpdate(long sinceMs, RecordVisitor visitor) throws IOException {
    try (CommittedTopic updates =
        CommittedTopic.open(
            kafka,
            topics.updates(),
            new Section(TopicEnd.UNKNOWN, sinceMs, Optional.of(ends.updates())),
            OpenTransactions.leave())) {
      updates.forEach(visitor);
    }
  }

  @Override
  public Map<String, ModelUpdate> updates(Predicate<String> models) throws IOException {
    Map<String, ModelUpdate> updates = new HashMap<>();
    forEachUpdate(
        ALL,
        record -> {
          String modelId = record.key() == null ? "" : new String(record.key(), UTF_8);
          if (models.test(modelId)) {
            if (record.value() == null) {
              updates.remove(modelId);
            } else if (round(record).isPresent()) {
              update(record).ifPresent(update -> updates.put(modelId, update));
            }
          }
          return true;
        });
    return updates;
  }

  @Override
  public Readers readers(int share, int shares) throws IOException {
    Set<TopicPartition> partitions = partitions(List.of(topics.accounting(), topics.updates()));
    partitions.removeIf(partition -> partition.partition() % shares != share);
    Optional<JobInputs> counted = share == 0 ? Optional.of(inputs) : Optional.empty();
    return new HeldReaders(kafka, partitions, counted, System::currentTimeMillis);
  }

  @Override
  public LeftOpen leftOpen() throws IOException {
    LingeringTransactions left =
        LingeringTransactions.findUnrecorded(
            kafka, ownTransactions, partitions(written), new TopicPartition(topics.progress(), 0));
    return () -> {
      if (left.isAny()) {
        Thread thread = new Thread(() -> end(left), "transactions-left-open");
        thread.setDaemon(true);
        thread.start();
      }
    };
  }

  private Set<TopicPartition> partitions(Collection<String> outputs) throws IOException {
    return new KafkaQueries(kafka)
        .ask(
            "the partitions of the outputs",
            admin -> {
              Set<TopicPartition> partitions = new HashSet<>();
              for (String topic : outputs) {
                partitions.addAll(new TopicOffsets(admin, topic).partitions());
              }
              return partitions;
            });
  }

  private static void end(LingeringTransactions left) {
    try {
      left.end();
    } catch (IOException e) {
      LOG.warn(
          "Transactions that an earlier run may have left open are not aborted. They hold back"
              + " readers until the brokers abort them (kafka-transactions.sh)",
          e);
    }
  }

  @Override
  public List<SourceRange> sources() throws IOException {
    return new KafkaQueries(kafka)
        .ask(
            "the offsets of the gradient and erasures topics",
            admin -> {
              List<SourceRange> sources = new ArrayList<>();
              for (String topic :
                  List.of(topics.gradients(), topics.rawGradients(), topics.erasures())) {
                TopicOffsets offsets = new TopicOffsets(admin, topic);
                sources.add(new SourceRange(topic, offsets.beginning(), offsets.end()));
              }
              return sources;
            });
  }

  /**
   * Returns whether a record of the accounting topic deletes events.
   *
   * @throws RefusedStartException if no ledger can have written it
   */
  static boolean isDeletion(ConsumerRecord<byte[], byte[]> record) {
    return AccountingRecords.isDeletion(
        record.topic(), record.partition(), record.offset(), record.key(), record.value());
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

  private static int varintTag(int field) {
    return field << 3 | WireFormat.WIRETYPE_VARINT;
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
      warn(record);
      return Optional.empty();
    }
    return Optional.of(new PublishedRound(new String(record.key(), UTF_8), round, atMs));
  }

  /** The whole update; empty if only its round can be read. */
  static Optional<ModelUpdate> update(ConsumerRecord<byte[], byte[]> record) {
    try {
      return Optional.of(ModelUpdate.parseFrom(record.value()));
    } catch (InvalidProtocolBufferException e) {
      warn(record);
      return Optional.empty();
    }
  }

  private static void warn(ConsumerRecord<byte[], byte[]> record) {
    LOG.warn(
        "The record at {}-{}@{} is not a ModelUpdate and is skipped: another program"
            + " writes to the topic",
        record.topic(),
        record.partition(),
        record.offset());
  }
}
