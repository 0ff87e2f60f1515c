package io.croupier.deploy;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.schemas.ModelUpdate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads every update with a read_committed consumer, from the first one on, regardless of the
 * servers' state.
 */
final class UpdateMonitor implements AutoCloseable {
  private final Consumer<byte[], byte[]> consumer;
  private final Map<String, List<ModelUpdate>> seen = new HashMap<>();
  private final List<CountListener> waiting = new ArrayList<>();
  private final CompletableFuture<Void> following;
  private volatile boolean ending;
  private volatile boolean closed;

  /** The failure that ended the monitor; null while it runs. */
  private Throwable over;

  /** A listener for a count of reports; its future completes with the elapsed time. */
  private record CountListener(
      String model, long reports, long since, CompletableFuture<Duration> done) {}

  UpdateMonitor(String bootstrapServers) {
    this(consumer(bootstrapServers));
  }

  /** Uses a read_committed consumer, and closes it at the end. */
  UpdateMonitor(Consumer<byte[], byte[]> consumer) {
    this.consumer = consumer;
    List<TopicPartition> partitions =
        consumer.partitionsFor("croupier.updates").stream()
            .map(p -> new TopicPartition(p.topic(), p.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    following =
        CompletableFuture.runAsync(this::follow, task -> new Thread(task).start())
            .whenComplete((nothing, failure) -> giveUp(failure));
  }

  private static Consumer<byte[], byte[]> consumer(String bootstrapServers) {
    Map<String, Object> properties = new HashMap<>();
    properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    return new KafkaConsumer<>(properties, bytes, bytes);
  }

  private void follow() {
    while (!closed && !(ending && isAtEnd())) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
        try {
          take(ModelUpdate.parseFrom(record.value()));
        } catch (InvalidProtocolBufferException e) {
          throw new IllegalStateException("An unreadable update", e);
        }
      }
    }
  }

  private boolean isAtEnd() {
    return consumer.endOffsets(consumer.assignment()).entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }

  private synchronized void take(ModelUpdate update) {
    String model = update.getModelId();
    seen.computeIfAbsent(model, id -> new ArrayList<>()).add(update);
    waiting.removeIf(
        w -> {
          boolean over = w.model.equals(model) && reports(update) >= w.reports;
          if (over) {
            w.done.complete(Duration.ofNanos(System.nanoTime() - w.since));
          }
          return over;
        });
  }

  /** Number of admitted reports that an update counts. */
  static long reports(ModelUpdate update) {
    return update.getUsed()
        + update.getAnswers()
        + update.getOpen()
        + update.getDroppedStale()
        + update.getDroppedUnpublished()
        + update.getDroppedBound();
  }

  /** Completes when an update that counts the given number of reports is visible. */
  CompletableFuture<Duration> when(String model, long reports) {
    return when(model, reports, System.nanoTime());
  }

  /** The same, with the elapsed time since {@code since}; fails if the monitor fails. */
  synchronized CompletableFuture<Duration> when(String model, long reports, long since) {
    CompletableFuture<Duration> done = new CompletableFuture<>();
    List<ModelUpdate> updates = updates(model);
    if (!updates.isEmpty() && reports(updates.get(updates.size() - 1)) >= reports) {
      done.complete(Duration.ofNanos(System.nanoTime() - since));
    } else {
      waiting.add(new CountListener(model, reports, since, done));
    }
    if (over != null) {
      done.completeExceptionally(over);
    }
    return done;
  }

  /** Fails all pending futures. */
  private synchronized void giveUp(Throwable failure) {
    over = failure == null ? new IllegalStateException("The monitor has ended") : failure;
    waiting.forEach(w -> w.done.completeExceptionally(over));
  }

  /** Reads all committed updates, and then stops. */
  void end() {
    ending = true;
    following.join();
  }

  /** The newest visible update of a model, an empty one before the first. */
  synchronized ModelUpdate newest(String model) {
    List<ModelUpdate> updates = seen.getOrDefault(model, List.of());
    return updates.isEmpty() ? ModelUpdate.getDefaultInstance() : updates.get(updates.size() - 1);
  }

  /** All updates of a model so far, in order. */
  synchronized List<ModelUpdate> updates(String model) {
    return List.copyOf(seen.getOrDefault(model, List.of()));
  }

  @Override
  public void close() {
    closed = true;
    try {
      following.join();
    } finally {
      consumer.close();
    }
  }
}
