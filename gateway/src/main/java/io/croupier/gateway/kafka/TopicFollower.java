package io.croupier.gateway.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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
 * Follows the committed records of a topic, from its beginning or from some records before its end,
 * in a thread of its own and in no consumer group. Errors of the brokers, missing rights among
 * them, are logged once and tried again: a gateway outlives an outage of Kafka.
 */
public final class TopicFollower implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TopicFollower.class);
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration RETRY = Duration.ofMillis(500);

  /** How often the follower looks for new partitions. */
  private static final Duration NEW_PARTITIONS = Duration.ofSeconds(30);

  /** Receives the records, those of one partition in order. */
  @FunctionalInterface
  public interface RecordAction {
    /**
     * Takes a record; must not throw.
     *
     * @param live whether the record became visible after the follower had started
     */
    void apply(ConsumerRecord<byte[], byte[]> record, boolean live);
  }

  private final String topic;
  private final long past;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final RecordAction action;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final CountDownLatch caughtUp = new CountDownLatch(1);
  private final Thread thread;

  /** The ends of the partitions at the start; only the thread uses it. */
  private final Map<TopicPartition, Long> ends = new HashMap<>();

  private long lookedAt;
  private boolean failing;
  private volatile boolean readable;
  private volatile boolean failed;

  /**
   * Begins to follow a topic from its beginning.
   *
   * @param kafka settings of Kafka's clients
   * @param action receives every record, those of one partition in order; must not throw
   */
  public TopicFollower(
      Map<String, ?> kafka, String topic, Consumer<ConsumerRecord<byte[], byte[]>> action) {
    this(kafka, topic, Long.MAX_VALUE, (record, live) -> action.accept(record));
  }

  /**
   * Begins to follow a topic.
   *
   * @param kafka settings of Kafka's clients
   * @param past how many records before the end of each partition to read at most
   */
  public TopicFollower(Map<String, ?> kafka, String topic, long past, RecordAction action) {
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
    thread = new Thread(this::follow, "follow-" + topic);
    thread.setDaemon(true);
    thread.start();
  }

  /** The topic's name. */
  public String topic() {
    return topic;
  }

  /** Whether everything has been read that the topic contained at the start. */
  public boolean isCaughtUp() {
    return caughtUp.getCount() == 0 && !failed;
  }

  /**
   * Waits until everything has been read that the topic contained at the start.
   *
   * @return false if that takes longer than {@code patience}
   */
  public boolean awaitCaughtUp(Duration patience) throws InterruptedException {
    return caughtUp.await(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Whether the topic could be read at the last attempt. */
  public boolean isReadable() {
    return readable;
  }

  private void follow() {
    try {
      while (closing.getCount() > 0) {
        try {
          readable = read();
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
      failed = true;
    } finally {
      readable = false;
      consumer.close(CloseOptions.timeout(POLL));
    }
  }

  /** Returns whether the topic exists. */
  private boolean read() throws InterruptedException {
    assignNewPartitions();
    if (consumer.assignment().isEmpty()) {
      closing.await(RETRY.toMillis(), TimeUnit.MILLISECONDS);
      return false;
    }
    // All records before these positions have been passed on.
    if (caughtUp.getCount() > 0
        && ends.entrySet().stream().allMatch(end -> isPast(end.getKey(), end.getValue()))) {
      caughtUp.countDown();
    }
    for (ConsumerRecord<byte[], byte[]> record :
        consumer.poll(caughtUp.getCount() > 0 ? RETRY : POLL)) {
      TopicPartition partition = new TopicPartition(record.topic(), record.partition());
      action.apply(record, record.offset() >= ends.getOrDefault(partition, 0L));
    }
    return true;
  }

  private boolean isPast(TopicPartition partition, long end) {
    try {
      return consumer.position(partition, RETRY) >= end;
    } catch (org.apache.kafka.common.errors.TimeoutException e) {
      return false;
    }
  }

  private void assignNewPartitions() {
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
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
