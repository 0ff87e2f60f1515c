package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.schemas.ModelUpdate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** Every update of every model, followed with one consumer. Not thread-safe. */
final class FollowedUpdates implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Map<String, List<ModelUpdate>> updates = new HashMap<>();

  /** Follows the updates on test topics from the beginning of their topic. */
  FollowedUpdates(TestTopics testTopics) {
    this(testTopics, "read_committed");
  }

  /** With {@code read_uncommitted}, it also reads updates that never become visible to clients. */
  FollowedUpdates(TestTopics testTopics, String isolation) {
    consumer = testTopics.consumer(testTopics.topics.updates(), isolation);
  }

  /** Waits until the newest visible update of a model satisfies {@code wanted}. */
  ModelUpdate await(String modelId, Predicate<ModelUpdate> wanted) throws Exception {
    return await(modelId, wanted, PATIENCE);
  }

  /** The same, but waits at most {@code patience}. */
  ModelUpdate await(String modelId, Predicate<ModelUpdate> wanted, Duration patience)
      throws Exception {
    long deadline = System.nanoTime() + patience.toNanos();
    while (true) {
      List<ModelUpdate> seen = updates.getOrDefault(modelId, List.of());
      if (!seen.isEmpty() && wanted.test(seen.get(seen.size() - 1))) {
        return seen.get(seen.size() - 1);
      }
      if (System.nanoTime() > deadline) {
        throw new AssertionError(
            "No wanted update of %s after %s; the last one: %s"
                .formatted(modelId, patience, seen.isEmpty() ? "none" : text(seen)));
      }
      poll();
    }
  }

  private static String text(List<ModelUpdate> seen) {
    ModelUpdate last = seen.get(seen.size() - 1);
    return "round %d, used %d, stale %d, unpublished %d, open %d"
        .formatted(
            last.getRound(),
            last.getUsed(),
            last.getDroppedStale(),
            last.getDroppedUnpublished(),
            last.getOpen());
  }

  private void poll() throws InvalidProtocolBufferException {
    poll(Duration.ofMillis(50));
  }

  /** Reads the available updates; if there are none, waits up to {@code patience} for more. */
  void poll(Duration patience) throws InvalidProtocolBufferException {
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(patience)) {
      if (record.value() != null) {
        updates
            .computeIfAbsent(new String(record.key(), UTF_8), id -> new ArrayList<>())
            .add(ModelUpdate.parseFrom(record.value()));
      }
    }
  }

  /** Reads up to the present end of the topic. */
  void catchUp() throws InvalidProtocolBufferException {
    while (!TestTopics.atEnd(consumer)) {
      poll();
    }
  }

  /** The updates of a model that were read so far, in order. */
  List<ModelUpdate> of(String modelId) {
    return List.copyOf(updates.getOrDefault(modelId, List.of()));
  }

  /**
   * Of the updates read so far, the newest one of the round that was published {@code before}
   * publications before the newest publication.
   */
  ModelUpdate publication(String modelId, int before) {
    List<ModelUpdate> publications = new ArrayList<>();
    for (ModelUpdate update : updates.get(modelId)) {
      int last = publications.size() - 1;
      // An update of the same round has other counts but the same weights.
      if (last >= 0 && publications.get(last).getRound() == update.getRound()) {
        publications.set(last, update);
      } else {
        publications.add(update);
      }
    }
    return publications.get(publications.size() - 1 - before);
  }

  @Override
  public void close() {
    consumer.close();
  }
}
