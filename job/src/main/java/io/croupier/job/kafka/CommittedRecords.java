package io.croupier.job.kafka;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
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
   * Passes every record to {@code action}, those of one partition in offset order.
   *
   * @param kafka properties of Kafka's clients, which lead to the brokers
   * @throws IOException if there is no such topic, the brokers can't be used, or nothing arrives
   *     for a minute
   */
  public static void forEach(
      Map<String, ?> kafka, String topic, Consumer<ConsumerRecord<byte[], byte[]>> action)
      throws IOException {
    forEach(kafka, topic, offsets -> {}, action);
  }

  /**
   * Passes every record to {@code action}, as {@link #forEach(Map, String, Consumer)} does.
   *
   * @param offsets receives, before the first record, the number of offsets to read; this is an
   *     upper bound on the number of records
   */
  public static void forEach(
      Map<String, ?> kafka,
      String topic,
      LongConsumer offsets,
      Consumer<ConsumerRecord<byte[], byte[]>> action)
      throws IOException {
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties, bytes, bytes)) {
      readToEnd(consumer, topic, offsets, action);
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
      LongConsumer offsets,
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
    long beginnings =
        consumer.beginningOffsets(partitions, PATIENCE).values().stream()
            .mapToLong(Long::longValue)
            .sum();
    offsets.accept(ends.values().stream().mapToLong(Long::longValue).sum() - beginnings);
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
