package io.croupier.job.restart;

import io.croupier.operators.flink.restart.VisibleOutputs;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * How long open transactions have held back readers of committed records. On each partition, such a
 * reader gets as far as the first transaction that is open. Between two checkpoints this is usual;
 * a transaction that no process ends holds readers back until the brokers abort it. Also counts the
 * partitions of the job's inputs that the job itself doesn't read.
 */
final class HeldReaders implements VisibleOutputs.Readers {
  private final Admin admin;
  private final Set<TopicPartition> partitions;
  private final Optional<JobInputs> inputs;
  private final LongSupplier clock;
  private Map<TopicPartition, Stop> stops = Map.of();
  private CompletableFuture<Void> running = CompletableFuture.completedFuture(null);
  private volatile long heldMs;
  private volatile long unread;

  /**
   * Where readers of a partition have stopped, although records follow.
   *
   * @param sinceMs when this was seen first
   */
  private record Stop(long offset, long sinceMs) {}

  /**
   * Follows partitions.
   *
   * @param kafka properties of Kafka's clients
   * @param inputs where partitions that the job doesn't read are counted; empty for none
   * @param clock time in milliseconds
   */
  HeldReaders(
      Map<String, String> kafka,
      Set<TopicPartition> partitions,
      Optional<JobInputs> inputs,
      LongSupplier clock)
      throws IOException {
    try {
      admin = Admin.create(Map.copyOf(kafka));
    } catch (KafkaException e) {
      throw new IOException("The outputs can't be followed", e);
    }
    this.partitions = Set.copyOf(partitions);
    this.inputs = inputs;
    this.clock = clock;
  }

  @Override
  public void lookUp() {
    if (!isDone()) {
      return;
    }
    CompletableFuture<Void> held =
        ends(IsolationLevel.READ_COMMITTED)
            .thenAcceptBoth(ends(IsolationLevel.READ_UNCOMMITTED), this::compare)
            .toCompletableFuture();
    CompletableFuture<Void> counted =
        inputs
            .map(topics -> topics.unread(admin).thenAccept(n -> unread = n).toCompletableFuture())
            .orElse(CompletableFuture.completedFuture(null));
    running = CompletableFuture.allOf(held, counted);
  }

  /** Returns whether no look-up runs. */
  boolean isDone() {
    return running.isDone();
  }

  @Override
  public long heldMs() {
    return heldMs;
  }

  @Override
  public long unreadPartitions() {
    return unread;
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }

  private CompletionStage<Map<TopicPartition, ListOffsetsResultInfo>> ends(
      IsolationLevel isolation) {
    return admin
        .listOffsets(
            partitions.stream()
                .collect(Collectors.toMap(Function.identity(), p -> OffsetSpec.latest())),
            new ListOffsetsOptions(isolation))
        .all()
        .toCompletionStage();
  }

  private void compare(
      Map<TopicPartition, ListOffsetsResultInfo> stable,
      Map<TopicPartition, ListOffsetsResultInfo> all) {
    long now = clock.getAsLong();
    Map<TopicPartition, Stop> seen = new HashMap<>();
    long longest = 0;
    for (TopicPartition partition : partitions) {
      long offset = stable.get(partition).offset();
      if (offset < all.get(partition).offset()) {
        Stop before = stops.get(partition);
        Stop stop = before != null && before.offset() == offset ? before : new Stop(offset, now);
        seen.put(partition, stop);
        longest = Math.max(longest, now - stop.sinceMs());
      }
    }
    stops = seen;
    heldMs = longest;
  }
}
