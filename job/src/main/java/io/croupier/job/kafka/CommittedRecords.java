package io.croupier.job.kafka;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads the committed records of a topic, from its beginning to its last stable offset at the time
 * of the call: it waits for no transaction.
 */
public final class CommittedRecords {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Duration POLL = Duration.ofMillis(100);

  private CommittedRecords() {}

  /**
   * The offsets to read.
   *
   * @param beginnings the first offset of each partition, inclusive
   * @param ends the last one, exclusive
   */
  public record OffsetRange(Map<TopicPartition, Long> beginnings, Map<TopicPartition, Long> ends) {

    /** Returns the number of offsets, an upper bound on the number of records. */
    public long size() {
      return sum(ends) - sum(beginnings);
    }

    private static long sum(Map<TopicPartition, Long> offsets) {
      return offsets.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns whether the topic has one partition. */
    boolean isOfOnePartition() {
      return ends.size() == 1;
    }

    /** Returns whether no partition has got as far as to an offset. */
    boolean endsBefore(long offset) {
      return ends.values().stream().allMatch(end -> end <= offset);
    }

    /** Returns whether every partition has an offset, with or without a record. */
    boolean has(long offset) {
      return beginnings.values().stream().allMatch(beginning -> beginning <= offset)
          && ends.values().stream().allMatch(end -> offset < end);
    }
  }

  /**
   * Passes every record to {@code action}, those of one partition in offset order.
   *
   * @param kafka properties of Kafka's clients, which lead to the brokers
   * @throws IOException if there is no such topic, the brokers can't be used, or nothing arrives
   *     for a minute
   */
  public static void forEach(
      Map<String, ?> kafka, String topic, Consumer<ConsumerRecord<byte[], byte[]>> action)
      throws IOException {
    forEach(kafka, topic, range -> {}, action);
  }

  /**
   * Passes every record to {@code action}, as {@link #forEach(Map, String, Consumer)} does.
   *
   * @param range receives the offsets to read, before the first record
   */
  public static void forEach(
      Map<String, ?> kafka,
      String topic,
      Consumer<OffsetRange> range,
      Consumer<ConsumerRecord<byte[], byte[]>> action)
      throws IOException {
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties, bytes, bytes)) {
      readToEnd(consumer, topic, range, action);
    } catch (KafkaException e) {
      throw new IOException(
          "Topic %s at %s can't be used: %s"
              .formatted(topic, kafka.get("bootstrap.servers"), e.getMessage()),
          e);
    }
  }

  private static void readToEnd(
      KafkaConsumer<byte[], byte[]> consumer,
      String topic,
      Consumer<OffsetRange> range,
      Consumer<ConsumerRecord<byte[], byte[]>> action)
      throws IOException {
    List<PartitionInfo> infos = consumer.partitionsFor(topic, PATIENCE);
    if (infos.isEmpty()) {
      throw new IOException(
          "Topic %s doesn't exist; create it with 'croupier topics create'".formatted(topic));
    }
    List<TopicPartition> partitions =
        infos.stream().map(info -> new TopicPartition(topic, info.partition())).toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, PATIENCE);
    range.accept(new OffsetRange(consumer.beginningOffsets(partitions, PATIENCE), ends));
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (ends.entrySet().stream()
        .anyMatch(end -> consumer.position(end.getKey(), PATIENCE) < end.getValue())) {
      if (System.nanoTime() - deadline > 0) {
        throw new IOException(
            "Topic %s could not be read to its end: no record arrived for %d s"
                .formatted(topic, PATIENCE.toSeconds()));
      }
      ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
      if (!records.isEmpty()) {
        deadline = System.nanoTime() + PATIENCE.toNanos();
      }
      records.forEach(action);
    }
  }
}
