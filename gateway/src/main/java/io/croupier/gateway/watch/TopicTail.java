package io.croupier.gateway.watch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the committed records of a topic from some records before its end, in a thread of its own
 * and in no consumer group. Errors of the brokers, missing rights among them, are logged once and
 * tried again.
 */
final class TopicTail implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TopicTail.class);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration RETRY = Duration.ofSeconds(1);

  /** How often the tail looks for new partitions. */
  private static final Duration NEW_PARTITIONS = Duration.ofSeconds(30);

  /** Receives the records, those of one partition in order. */
  @FunctionalInterface
  interface Action {
    /**
     * Takes a record; must not throw.
     *
     * @param live whether the record became visible while the tail followed the topic
     */
    void apply(ConsumerRecord<byte[], byte[]> record, boolean live);
  }

  private final String topic;
  private final long past;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Action action;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final CountDownLatch caughtUp = new CountDownLatch(1);
  private final Thread thread;

  /** The ends of the partitions at the start; only the thread uses it. */
  private final Map<TopicPartition, Long> ends = new HashMap<>();

  private long lookedAt;
  private volatile boolean readable;
  private boolean failing;

  /**
   * Begins to follow a topic.
   *
   * @param kafka settings of Kafka's clients
   * @param past how many records before the end of each partition to read at most
   */
  TopicTail(Map<String, ?> kafka, String topic, long past, Action action) {
    this.topic = topic;
    this.past = past;
    this.action = action;
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    consumer = new KafkaConsumer<>(properties, bytes, bytes);
    thread = new Thread(this::follow, "watch-" + topic);
    thread.setDaemon(true);
    thread.start();
  }

  String topic() {
    return topic;
  }

  /** Whether the topic could be read at the last attempt. */
  boolean isReadable() {
    return readable;
  }

  /** Waits until the records have been read that the topic contained at the start. */
  boolean awaitCaughtUp(Duration patience) throws InterruptedException {
    return caughtUp.await(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void follow() {
    try {
      while (closing.getCount() > 0) {
        try {
          read();
          failing = false;
        } catch (WakeupException e) {
          return;
        } catch (KafkaException e) {
          readable = false;
          if (!failing) {
            LOG.warn("Topic {} can't be read; trying again", topic, e);
          }
          failing = true;
          closing.await(RETRY.toMillis(), TimeUnit.MILLISECONDS);
        }
      }
    } catch (InterruptedException | InterruptException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error e) {
      LOG.error("Topic {} is no longer followed", topic, e);
    } finally {
      readable = false;
      consumer.close(CloseOptions.timeout(POLL));
    }
  }

  private void read() throws InterruptedException {
    assignPartitions();
    if (consumer.assignment().isEmpty()) {
      readable = false;
      closing.await(POLL.toMillis(), TimeUnit.MILLISECONDS);
      return;
    }
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
      TopicPartition partition = new TopicPartition(record.topic(), record.partition());
      action.apply(record, record.offset() >= ends.getOrDefault(partition, 0L));
    }
    readable = true;
    if (caughtUp.getCount() > 0
        && ends.entrySet().stream()
            .allMatch(end -> consumer.position(end.getKey(), RETRY) >= end.getValue())) {
      caughtUp.countDown();
    }
  }

  private void assignPartitions() {
    boolean first = consumer.assignment().isEmpty();
    if (!first && System.nanoTime() - lookedAt < NEW_PARTITIONS.toNanos()) {
      return;
    }
    lookedAt = System.nanoTime();
    List<TopicPartition> partitions = new ArrayList<>();
    for (PartitionInfo partition : consumer.partitionsFor(topic)) {
      partitions.add(new TopicPartition(topic, partition.partition()));
    }
    if (partitions.size() <= consumer.assignment().size()) {
      return;
    }
    if (!first) {
      // New partitions are read from their beginning.
      consumer.assign(partitions);
      return;
    }
    Map<TopicPartition, Long> beginnings = consumer.beginningOffsets(partitions);
    ends.putAll(consumer.endOffsets(partitions));
    consumer.assign(partitions);
    for (TopicPartition partition : partitions) {
      consumer.seek(partition, Math.max(beginnings.get(partition), ends.get(partition) - past));
    }
  }

  /** Stops to follow. */
  @Override
  public void close() {
    closing.countDown();
    consumer.wakeup();
    try {
      thread.join(2 * RETRY.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
