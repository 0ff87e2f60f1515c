package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.croupier.operators.flink.VisibleOutputs;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.ModelUpdate;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What is committed on the accounting and updates topics, read with consumers of its own. */
final class KafkaVisibleOutputs implements VisibleOutputs {
  private static final long serialVersionUID = 1;

  private final Map<String, String> kafka;
  private final String accountingTopic;
  private final String updatesTopic;

  KafkaVisibleOutputs(Map<String, String> kafka, String accountingTopic, String updatesTopic) {
    this.kafka = Map.copyOf(kafka);
    this.accountingTopic = accountingTopic;
    this.updatesTopic = updatesTopic;
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
  public Visible<AccountingEvent> accounting(long sinceMs, StreamingRuntimeContext subtask)
      throws IOException {
    return open(accountingTopic, sinceMs, subtask, record -> Optional.of(event(record)));
  }

  @Override
  public Visible<PublishedRound> rounds(long sinceMs, StreamingRuntimeContext subtask)
      throws IOException {
    return open(updatesTopic, sinceMs, subtask, KafkaVisibleOutputs::round);
  }

  static AccountingEvent event(ConsumerRecord<byte[], byte[]> record) throws IOException {
    if (record.value() == null) {
      throw new IOException(
          ("What is on %s-%d at offset %d has no value, so it is no AccountingEvent: something else"
                  + " writes to the topic. If that is compacted (cleanup.policy), the accounts of"
                  + " the record's key are deleted. The job starts with its newest state, or on a"
                  + " topic made anew")
              .formatted(record.topic(), record.partition(), record.offset()));
    }
    try {
      return AccountingEvent.parseFrom(record.value());
    } catch (InvalidProtocolBufferException e) {
      throw new IOException(
          "What is on %s-%d at offset %d is no AccountingEvent: something else writes to the topic"
              .formatted(record.topic(), record.partition(), record.offset()),
          e);
    }
  }

  /** The round of an update, without its vectors; none of a tombstone. */
  private static Optional<PublishedRound> round(ConsumerRecord<byte[], byte[]> record)
      throws IOException {
    if (record.value() == null) {
      return Optional.empty();
    }
    CodedInputStream in = CodedInputStream.newInstance(record.value());
    long round = 0;
    long atMs = 0;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (WireFormat.getTagFieldNumber(tag) == ModelUpdate.ROUND_FIELD_NUMBER) {
        round = in.readInt64();
      } else if (WireFormat.getTagFieldNumber(tag) == ModelUpdate.PUBLISHED_AT_MS_FIELD_NUMBER) {
        atMs = in.readInt64();
      } else {
        in.skipField(tag);
      }
    }
    return Optional.of(new PublishedRound(new String(record.key(), UTF_8), round, atMs));
  }

  private <T> Visible<T> open(
      String topic, long sinceMs, StreamingRuntimeContext subtask, Reading<T> reading)
      throws IOException {
    CommittedTopic records =
        CommittedTopic.open(kafka, topic, sinceMs, KafkaIo.transactions(updatesTopic));
    try {
      Rendezvous.meet(subtask, topic);
    } catch (IOException e) {
      records.close();
      throw e;
    }
    return new Visible<>() {
      @Override
      public void forEach(Predicate<T> more) throws IOException {
        records.forEach(
            record -> {
              Optional<T> read = reading.of(record);
              return read.isEmpty() || more.test(read.get());
            });
      }

      @Override
      public Map<Integer, Long> forgottenBefore() {
        return records.forgottenBefore();
      }

      @Override
      public void close() {
        records.close();
      }
    };
  }

  /** What a record tells, if anything. */
  @FunctionalInterface
  private interface Reading<T> {
    Optional<T> of(ConsumerRecord<byte[], byte[]> record) throws IOException;
  }
}
