package io.croupier.client;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
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
 * Follows the compacted topic of model updates, read committed, and keeps the newest update of
 * every model, until the model is retired. It belongs to no consumer group and commits no offsets,
 * so any number of subscribers may follow one topic.
 *
 * <p>Models become visible once the subscriber has read all updates that the topic contained at the
 * start: a report at an older update could be stale on arrival, and would spend privacy without
 * effect.
 *
 * <p>A record that is no usable update is logged and skipped: a later one replaces it, and until
 * then the earlier update of its model stays, as in a gateway.
 *
 * <p>A subscriber runs its own thread. If that thread fails, because of an exception of the
 * listener or a fatal Kafka error, the next call throws an {@link IllegalStateException} with the
 * cause. Safe for use by several threads.
 */
public final class ModelSubscriber implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ModelSubscriber.class);
  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration RETRY = Duration.ofMillis(200);

  private final Consumer<byte[], byte[]> consumer;
  private final String topic;

  /** The brokers, as a message names them after the topic. */
  private final String brokers;

  private final java.util.function.Consumer<ModelSnapshot> listener;
  private final Clock clock;
  private final SkippedRecords skipped = new SkippedRecords();
  private final Thread thread;

  /**
   * End offsets at the start that are not reached yet; accessed only by the subscriber's thread.
   */
  private final Map<TopicPartition, Long> ends = new HashMap<>();

  // Guarded by this.
  private final Map<String, Publications> models = new HashMap<>();
  private boolean hasPartitions;
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
   * @param listener receives every update, in the topic's order, on the subscriber's thread, which
   *     reads no further updates meanwhile
   */
  public ModelSubscriber(
      Map<String, Object> kafka,
      String updatesTopic,
      java.util.function.Consumer<ModelSnapshot> listener) {
    this(
        new KafkaConsumer<>(consumerProperties(kafka)),
        updatesTopic,
        " of " + kafka.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG),
        listener,
        Clock.systemUTC());
  }

  ModelSubscriber(
      Consumer<byte[], byte[]> consumer,
      String updatesTopic,
      String brokers,
      java.util.function.Consumer<ModelSnapshot> listener,
      Clock clock) {
    this.consumer = consumer;
    topic = updatesTopic;
    this.brokers = brokers;
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
   * The newest update of a model; empty if there is none, or none has been read yet.
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
   * Whether the subscriber has read all updates that the topic contained at the start. Before that,
   * an absent model may be published.
   *
   * @throws IllegalStateException if the subscriber failed or is closed
   */
  public synchronized boolean isCaughtUp() {
    requireAtWork();
    return caughtUp;
  }

  /**
   * The staleness of a snapshot, so that callers can avoid reports that would arrive too late;
   * empty if its model is retired, or no update of it has been read yet.
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
   * The terms of a round of a model that is among the newest {@value Staleness#MOST_PUBLICATIONS}
   * publications read so far. The job drops a report that names any other round, and the report is
   * charged nevertheless.
   *
   * @return empty, too, if the model is retired, or no update of it has been read yet
   * @throws IllegalStateException if the subscriber failed or is closed
   */
  public synchronized Optional<RoundTerms> published(String modelId, long round) {
    requireAtWork();
    return publications(modelId).flatMap(of -> of.terms(round));
  }

  /**
   * Waits for a model's first update.
   *
   * @return its newest update
   * @throws TimeoutException if there is none after {@code timeout}
   * @throws IllegalStateException if the subscriber failed or is closed
   * @throws InterruptException if the thread is interrupted; its interrupt status remains set
   */
  public ModelSnapshot await(String modelId, Duration timeout) throws TimeoutException {
    return await(modelId, update -> true, timeout);
  }

  /**
   * Waits for an update of another round than that of an earlier one, or one that asks more devices
   * in that round, as the job does while it lacks answers: a device that has reported the round may
   * report it again, if the key of its data allows that.
   *
   * @return the newest update of its model
   * @throws TimeoutException if there is none after {@code timeout}
   * @throws IllegalStateException if the subscriber failed or is closed
   * @throws InterruptException if the thread is interrupted; its interrupt status remains set
   */
  public ModelSnapshot awaitAfter(ModelSnapshot earlier, Duration timeout) throws TimeoutException {
    return await(earlier.modelId(), update -> update.asksOthersThan(earlier), timeout);
  }

  private synchronized ModelSnapshot await(
      String modelId, Predicate<ModelSnapshot> isAwaited, Duration timeout)
      throws TimeoutException {
    long start = System.nanoTime();
    long left = timeout.toNanos();
    Optional<ModelSnapshot> found = newest(modelId).filter(isAwaited);
    while (found.isEmpty()) {
      if (left <= 0) {
        throw Absence.of(modelId, "on topic " + topic + brokers, timeout, absence(modelId));
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        throw new InterruptException(e);
      }
      left = timeout.toNanos() - (System.nanoTime() - start);
      found = newest(modelId).filter(isAwaited);
    }
    return found.get();
  }

  /** What is known about a model without updates. */
  private String absence(String modelId) {
    if (!caughtUp) {
      return hasPartitions
          ? "; the topic is not read to its end yet"
          : "; no broker has answered, or the topic doesn't exist";
    }
    if (models.containsKey(modelId)) {
      return "; its newest round is " + models.get(modelId).newest().round();
    }
    return models.isEmpty()
        ? "; no model is published there"
        : "; published there: " + String.join(", ", new TreeSet<>(models.keySet()));
  }

  private synchronized void requireAtWork() {
    if (failure != null) {
      throw new IllegalStateException(
          "following topic " + topic + brokers + " failed: " + failure.getMessage(), failure);
    }
    if (closed) {
      throw new IllegalStateException("the subscriber of topic " + topic + " is closed");
    }
  }

  /** Stops the subscriber. Does not rethrow an exception of its thread. */
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

  /** The next updates; none after a retriable error, or if the topic doesn't exist yet. */
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
      LOG.warn("Reading topic {} failed; trying again", topic, e);
      pause();
    }
    ends.entrySet().removeIf(end -> isPast(end.getKey(), end.getValue()));
    return updates;
  }

  private boolean isPast(TopicPartition partition, long end) {
    try {
      return consumer.position(partition, Duration.ZERO) >= end;
    } catch (org.apache.kafka.common.errors.TimeoutException e) {
      // The end offsets at the start are not known yet.
      return false;
    }
  }

  /** Assigns all partitions, including new ones. */
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
    synchronized (this) {
      hasPartitions = true;
    }
  }

  private void accept(ConsumerRecord<byte[], byte[]> update) {
    if (update.value() == null) {
      if (update.key() != null) {
        synchronized (this) {
          models.remove(new String(update.key(), StandardCharsets.UTF_8));
        }
      }
      return;
    }
    ModelSnapshot snapshot;
    try {
      snapshot = ModelSnapshot.parse(update.value());
    } catch (IllegalArgumentException e) {
      skipped.add(update.topic(), update.partition(), update.offset(), e.getMessage());
      return;
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

  /** Waits for a short time, or until closed. */
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
