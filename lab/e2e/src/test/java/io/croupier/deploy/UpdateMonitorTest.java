package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.schemas.ModelUpdate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** A monitor reads all updates to the end, measures their delay, and reports its failures. */
class UpdateMonitorTest {
  private static final TopicPartition PARTITION = new TopicPartition("croupier.updates", 0);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");

  UpdateMonitorTest() {
    consumer.updatePartitions(
        PARTITION.topic(), List.of(new PartitionInfo(PARTITION.topic(), 0, null, null, null)));
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
    consumer.updateEndOffsets(Map.of(PARTITION, 2L));
  }

  /** Adds an update for a separate poll. */
  private void update(int used) {
    byte[] update =
        ModelUpdate.newBuilder().setModelId(LoadGenerator.ONCE).setUsed(used).build().toByteArray();
    consumer.schedulePollTask(
        () ->
            consumer.addRecord(new ConsumerRecord<>(PARTITION.topic(), 0, used - 1, null, update)));
  }

  @Test
  void readUpdatesAfterTheAwaitedOnes() {
    try (UpdateMonitor monitor = new UpdateMonitor(consumer)) {
      CompletableFuture<Duration> first = monitor.when(LoadGenerator.ONCE, 1);
      update(1);
      assertThat(first).succeedsWithin(PATIENCE);

      update(2);
      monitor.end();
      assertThat(monitor.updates(LoadGenerator.ONCE))
          .extracting(ModelUpdate::getUsed)
          .containsExactly(1L, 2L);
    }
  }

  @Test
  void measureTheTimeFromTheFirstUpdate() {
    try (UpdateMonitor monitor = new UpdateMonitor(consumer)) {
      long anHourAgo = System.nanoTime() - Duration.ofHours(1).toNanos();
      CompletableFuture<Duration> later = monitor.when(LoadGenerator.ONCE, 1, anHourAgo);
      update(1);

      assertThat(later)
          .succeedsWithin(PATIENCE, InstanceOfAssertFactories.DURATION)
          .isGreaterThanOrEqualTo(Duration.ofHours(1));
      assertThat(monitor.when(LoadGenerator.ONCE, 1, anHourAgo))
          .isCompletedWithValueMatching(took -> took.compareTo(Duration.ofHours(1)) >= 0);
    }
  }

  @Test
  void failPendingFuturesOnFailure() {
    UpdateMonitor monitor = new UpdateMonitor(consumer);
    CompletableFuture<Duration> before = monitor.when(LoadGenerator.ONCE, 1);
    consumer.schedulePollTask(() -> consumer.setPollException(new KafkaException("broken")));

    assertThat(before).failsWithin(PATIENCE).withThrowableThat().withMessageContaining("broken");
    assertThat(monitor.when(LoadGenerator.ONCE, 1)).isCompletedExceptionally();
    assertThatThrownBy(monitor::close).isInstanceOf(CompletionException.class);
    assertThat(consumer.closed()).isTrue();
  }
}
