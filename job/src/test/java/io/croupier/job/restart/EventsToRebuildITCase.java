package io.croupier.job.restart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.croupier.job.JobFixture;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.operators.flink.restart.TopicEnd;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of an accounting topic on a real broker. */
@Tag("thorough")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class EventsToRebuildITCase extends JobFixture {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private EventsToRebuild events;

  @BeforeEach
  void open() {
    events =
        new EventsToRebuild(testTopics.kafka(), testTopics.topics.accounting(), Set.of("ours"));
  }

  private ProducerRecord<byte[], byte[]> event() {
    return new ProducerRecord<>(
        testTopics.topics.accounting(), 0, "user".getBytes(UTF_8), "event".getBytes(UTF_8));
  }

  /** Brokers write the marker of a transaction some time after they have accepted its end. */
  private TopicEnd awaitEnd(Long... offsets) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    TopicEnd end = events.end();
    while (!end.offsets().equals(List.of(offsets))) {
      assertThat(System.nanoTime()).as("%s", end.offsets()).isLessThan(deadline);
      Thread.sleep(10);
      end = events.end();
    }
    return end;
  }

  @Test
  void anEndIsTheLastOneUntilAnEventIsCommittedAfterIt() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = testTopics.transaction("theirs")) {
      producer.send(event()).get();
      producer.commitTransaction();
      TopicEnd end = awaitEnd(2L, 0L); // with the marker of the commit
      events.requireLast(end);

      producer.beginTransaction();
      producer.send(event()).get();
      producer.abortTransaction();
      awaitEnd(4L, 0L);
      events.requireLast(end); // only an aborted event was added
      assertThatExceptionOfType(RefusedStartException.class)
          .isThrownBy(() -> events.requireLast(new TopicEnd(1, 2, end.offsets())))
          .withMessageContaining("created again");

      producer.beginTransaction();
      producer.send(event()).get();
      producer.commitTransaction();
      assertThatExceptionOfType(RefusedStartException.class)
          .isThrownBy(() -> events.requireLast(end))
          .withMessageContaining("received events");
    }
  }

  @Test
  void eventsThatWereDeletedBeforeTheEndWasReadAreMissed() throws Exception {
    testTopics.send(testTopics.topics.accounting(), "user", new byte[] {1});
    testTopics.flush();
    TopicEnd end = events.end();
    events.requireLast(end);
    int partition = end.offsets().indexOf(1L);
    testTopics.deleteRecords(testTopics.topics.accounting(), partition, 1);

    assertThatExceptionOfType(RefusedStartException.class)
        .isThrownBy(() -> events.requireLast(end))
        .withMessageContaining("begins at offset 1");
  }

  @Test
  void anEndIsKnownOnceOpenTransactionsHaveEnded() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = testTopics.transaction("theirs")) {
      producer.send(event()).get();
      CompletableFuture<TopicEnd> end =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return events.end();
                } catch (Exception e) {
                  throw new AssertionError(e);
                }
              });
      assertThat(
              end.handle((found, failure) -> failure).completeOnTimeout(null, 2, TimeUnit.SECONDS))
          .succeedsWithin(PATIENCE);
      assertThat(end).isNotDone();
      producer.commitTransaction();

      assertThat(end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).offsets()).containsExactly(1L, 0L);
    }
  }
}
