package io.croupier.client;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the compacted topic of model updates, read committed, and keeps the newest of every
 * model; a model that is retired disappears. Belongs to no consumer group and commits nothing, so
 * any number of subscribers may follow one topic.
 *
 * <p>Models become visible once the subscriber has read what the topic held when it began: an
 * update that is about to be superseded would draw reports that are stale on arrival, and their
 * privacy would be spent for nothing.
 *
 * <p>Has a thread of its own. Should that fail, on an update that can't be read, a listener that
 * throws or an error that Kafka won't get over, the next call throws an {@link
 * IllegalStateException} with the cause. Safe for use by several threads.
 */
public final class ModelSubscriber implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ModelSubscriber.class);
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration RETRY = Duration.ofMillis(200);

  private final Consumer<byte[], byte[]> consumer;
  private final String topic;
  private final java.util.function.Consumer<ModelSnapshot> listener;
  private final Clock clock;
  private final Thread thread;

  /** Of the subscriber's thread alone: where the topic ended when it began; empty when reached. */
  private final Map<TopicPartition, Long> ends = new HashMap<>();

  // Guarded by this.
  private final Map<String, Publications> models = new HashMap<>();
  private boolean caughtUp;
  private boolean closed;
  private Throwable failure;

  /**
   * Begins to follow a topic.
   *
   * @param kafka settings of the consumer: {@code bootstrap.servers}, security, ...
   */
  public ModelSubscriber(Map<String, Object> kafka, String updatesTopic) {
    this(kafka, updatesTopic, snapshot -> {});
  }

  /**
   * Begins to follow a topic, with a listener.
   *
   * @param kafka settings of the consumer: {@code bootstrap.servers}, security, ...
   * @param listener is given every update that is read, old ones first, on the subscriber's thread;
   *     while it works nothing is read
   */
  public ModelSubscriber(
      Map<String, Object> kafka,
      String updatesTopic,
      java.util.function.Consumer<ModelSnapshot> listener) {
    this(new KafkaConsumer<>(consumerProperties(kafka)), updatesTopic, listener, Clock.systemUTC());
  }

  ModelSubscriber(
      Consumer<byte[], byte[]> consumer,
      String updatesTopic,
      java.util.function.Consumer<ModelSnapshot> listener,
      Clock clock) {
    this.consumer = consumer;
    topic = updatesTopic;
    this.listener = listener;
    this.clock = clock;
    thread = new Thread(this::follow, "model-subscriber-" + updatesTopic);
    thread.setDaemon(true);
    thread.start();
  }

  private static Map<String, Object> consumerProperties(Map<String, Object> kafka) {
    Map<String, Object> properties = new HashMap<>(kafka);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
    return properties;
  }

  /**
   * The newest update of a model; empty if there is none, or none is known yet.
   *
   * @throws IllegalStateException if the subscriber failed or is closed
   */
  public synchronized Optional<ModelSnapshot> newest(String modelId) {
    requireAtWork();
    return publications(modelId).map(Publications::newest);
  }

  private Optional<Publications> publications(String modelId) {
    return caughtUp ? Optional.ofNullable(models.get(modelId)) : Optional.empty();
  }

  /**
   * Whether all was read that the topic held when the subscriber began: only then a model that is
   * not there is not published.
   *
   * @throws IllegalStateException if the subscriber failed or is closed
   */
  public synchronized boolean isCaughtUp() {
    requireAtWork();
    return caughtUp;
  }

  /**
   * How far behind a snapshot is, so that nothing need be spent on a report that would come too
   * late; empty if its model is retired, or none is known yet.
   *
   * @throws IllegalStateException if the subscriber failed or is closed
   */
  public synchronized Optional<Staleness> staleness(ModelSnapshot snapshot) {
    requireAtWork();
    long age = Math.max(0, clock.millis() - snapshot.publishedAtMs());
    return publications(snapshot.modelId())
        .map(of -> new Staleness(of.newerThan(snapshot), Duration.ofMillis(age)));
  }

  /**
   * Whether a round of a model is among the newest {@value Staleness#MOST_PUBLICATIONS}
   * publications that were read: a report of another is dropped by the job, and is spent all the
   * same.
   *
   * @return false, too, if the model is retired, or none is known yet
   * @throws IllegalStateException if the subscriber failed or is closed
   */
  public synchronized boolean isPublished(String modelId, long round) {
    requireAtWork();
    return publications(modelId).filter(of -> of.contain(round)).isPresent();
  }

  /**
   * Waits until a model is there.
   *
   * @return its newest update
   * @throws TimeoutException if there is none after {@code timeout}
   * @throws IllegalStateException if the subscriber failed or is closed
   * @throws InterruptException if the thread is interrupted, which it then remains
   */
  public synchronized ModelSnapshot await(String modelId, Duration timeout)
      throws TimeoutException {
    long start = System.nanoTime();
    long left = timeout.toNanos();
    Optional<ModelSnapshot> found = newest(modelId);
    while (found.isEmpty()) {
      if (left <= 0) {
        throw new TimeoutException(
            String.format(
                "no update of model %s on topic %s within %s%s",
                modelId, topic, timeout, caughtUp ? "" : "; the topic is not read yet"));
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        throw new InterruptException(e);
      }
      left = timeout.toNanos() - (System.nanoTime() - start);
      found = newest(modelId);
    }
    return found.get();
  }

  private synchronized void requireAtWork() {
    if (failure != null) {
      throw new IllegalStateException("following topic " + topic + " failed", failure);
    }
    if (closed) {
      throw new IllegalStateException("the subscriber of topic " + topic + " is closed");
    }
  }

  /** Stops following, at once. Does not throw what the thread may have failed of. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    consumer.wakeup();
    if (Thread.currentThread() == thread) {
      return;
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private void follow() {
    try {
      while (!isClosed()) {
        read().forEach(this::accept);
        if (ends.isEmpty() && !consumer.assignment().isEmpty()) {
          showModels();
        }
      }
    } catch (WakeupException e) {
      LOG.debug("Topic {} is no longer followed", topic);
    } catch (RuntimeException | Error e) {
      fail(e);
    } finally {
      consumer.close(CloseOptions.timeout(POLL));
    }
  }

  /** The next updates; none if Kafka asks for patience, or the topic isn't there yet. */
  private ConsumerRecords<byte[], byte[]> read() {
    ConsumerRecords<byte[], byte[]> updates = ConsumerRecords.empty();
    try {
      assignNewPartitions();
      if (consumer.assignment().isEmpty()) {
        pause();
      } else {
        updates = consumer.poll(POLL);
      }
    } catch (RetriableException e) {
      LOG.warn("Following topic {} is held up; trying again", topic, e);
      pause();
    }
    ends.entrySet().removeIf(end -> isPast(end.getKey(), end.getValue()));
    return updates;
  }

  private boolean isPast(TopicPartition partition, long end) {
    try {
      return consumer.position(partition, Duration.ZERO) >= end;
    } catch (org.apache.kafka.common.errors.TimeoutException e) {
      // Not even the beginning is known yet.
      return false;
    }
  }

  /** Takes all partitions, those included that were added since. */
  private void assignNewPartitions() {
    List<TopicPartition> partitions = new ArrayList<>();
    for (PartitionInfo partition : consumer.partitionsFor(topic)) {
      partitions.add(new TopicPartition(topic, partition.partition()));
    }
    if (partitions.size() <= consumer.assignment().size()) {
      return;
    }
    if (consumer.assignment().isEmpty()) {
      ends.putAll(consumer.endOffsets(partitions));
    }
    consumer.assign(partitions);
  }

  private void accept(ConsumerRecord<byte[], byte[]> update) {
    if (update.value() == null) {
      String modelId = new String(update.key(), StandardCharsets.UTF_8);
      synchronized (this) {
        models.remove(modelId);
      }
      return;
    }
    ModelSnapshot snapshot;
    try {
      snapshot = ModelSnapshot.parse(update.value());
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException(
          String.format(
              "topic %s, partition %d, offset %d: %s",
              topic, update.partition(), update.offset(), e.getMessage()),
          e);
    }
    synchronized (this) {
      models.computeIfAbsent(snapshot.modelId(), id -> new Publications()).add(snapshot);
      notifyAll();
    }
    listener.accept(snapshot);
  }

  private synchronized void showModels() {
    if (!caughtUp) {
      caughtUp = true;
      notifyAll();
    }
  }

  private synchronized void fail(Throwable cause) {
    failure = cause;
    notifyAll();
  }

  /** Waits a little, or until closed. */
  private synchronized void pause() {
    if (closed) {
      return;
    }
    try {
      TimeUnit.MILLISECONDS.timedWait(this, RETRY.toMillis());
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }
}
