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
import org.apache.kafka.clients.consumer.ConsumerRecords;
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
 * Follows a topic from its beginning, read committed, in a thread of its own and in no consumer
 * group. Errors of the brokers, missing rights among them, are logged once and tried again: a
 * gateway outlives an outage of Kafka.
 */
public final class TopicFollower implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TopicFollower.class);
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration RETRY = Duration.ofMillis(500);

  /** How often the follower looks for new partitions. */
  private static final Duration NEW_PARTITIONS = Duration.ofSeconds(30);

  private final String topic;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Consumer<ConsumerRecord<byte[], byte[]>> action;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;

  /** End offsets at the start that are not reached yet; only the thread uses it. */
  private final Map<TopicPartition, Long> ends = new HashMap<>();

  private long lookedAt;
  private boolean failing;
  private volatile boolean caughtUp;

  /**
   * Begins to follow a topic.
   *
   * @param kafka settings of Kafka's clients
   * @param action receives every record, those of one partition in order; must not throw
   */
  public TopicFollower(
      Map<String, String> kafka, String topic, Consumer<ConsumerRecord<byte[], byte[]>> action) {
    this.topic = topic;
    this.action = action;
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    consumer = new KafkaConsumer<>(properties, bytes, bytes);
    thread = new Thread(this::follow, "gateway-" + topic);
    thread.setDaemon(true);
    thread.start();
  }

  /** Whether everything has been read that the topic contained at the start. */
  public boolean isCaughtUp() {
    return caughtUp;
  }

  private void follow() {
    try {
      while (closing.getCount() > 0) {
        try {
          read().forEach(action);
          failing = false;
        } catch (WakeupException e) {
          return;
        } catch (KafkaException e) {
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
      caughtUp = false;
    } finally {
      consumer.close(CloseOptions.timeout(POLL));
    }
  }

  private ConsumerRecords<byte[], byte[]> read() throws InterruptedException {
    assignNewPartitions();
    if (consumer.assignment().isEmpty()) {
      closing.await(RETRY.toMillis(), TimeUnit.MILLISECONDS);
      return ConsumerRecords.empty();
    }
    ends.entrySet().removeIf(end -> isPast(end.getKey(), end.getValue()));
    if (ends.isEmpty()) {
      // All records before these positions have been passed on.
      caughtUp = true;
    }
    return consumer.poll(caughtUp ? POLL : RETRY);
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
    if (partitions.size() > consumer.assignment().size()) {
      if (first) {
        ends.putAll(consumer.endOffsets(partitions));
      }
      consumer.assign(partitions);
      if (first) {
        consumer.seekToBeginning(partitions);
      }
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
      throw new InterruptException(e);
    }
  }
}
