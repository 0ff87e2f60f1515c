package io.croupier.cli.replay;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads a topic from its beginning, read_committed, and keeps its records as {@code T}, in the
 * order of each partition. A follower of a compacted topic sees every record written meanwhile.
 */
public final class TopicFollower<T> implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final String topic;
  private final RecordReader<T> reader;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final List<T> read = new ArrayList<>();

  /** Converts a record. */
  @FunctionalInterface
  public interface RecordReader<T> {
    T read(ConsumerRecord<byte[], byte[]> record) throws Exception;
  }

  public TopicFollower(Map<String, ?> kafka, String topic, RecordReader<T> reader) {
    this.topic = topic;
    this.reader = reader;
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    consumer = new KafkaConsumer<>(properties, bytes, bytes);
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(p -> new TopicPartition(p.topic(), p.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  /** Follows accounting events. */
  public static TopicFollower<AccountingEvent> events(Map<String, ?> kafka, String topic) {
    return new TopicFollower<>(
        kafka, topic, record -> AccountingEvents.read(record.key(), record.value()));
  }

  /** The records read so far. */
  public List<T> read() {
    return read;
  }

  /** Reads until {@code isThere} holds. */
  public void await(String what, Callable<Boolean> isThere) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!isThere.call()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError(
            "%s: after %s and %d records there is no %s"
                .formatted(topic, PATIENCE, read.size(), what));
      }
      look();
    }
  }

  /** Reads the records that arrive within a short time. */
  void look() throws Exception {
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
      read.add(reader.read(record));
    }
  }

  @Override
  public void close() {
    consumer.close();
  }
}
