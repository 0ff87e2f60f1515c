package io.croupier.job;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/**
 * Follows an accounting topic of test topics, keeping counts only, and how long some users waited,
 * on the clock and behind how many events of the crowd.
 */
final class JudgedUsers implements AutoCloseable {
  private static final long POLL_MS = 10;

  private final Map<String, Long> sentNanos = new ConcurrentHashMap<>();
  private final Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);
  private final List<Duration> delays = new ArrayList<>();
  private final Map<Integer, Long> crowdByPartition = new HashMap<>();
  private final Map<String, Long> crowdBefore = new HashMap<>();
  private final String crowd;
  private final long wanted;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final CompletableFuture<Void> done;
  private final AtomicLong seen = new AtomicLong();
  private long firstNanos;
  private long lastNanos;
  private volatile boolean closed;

  /**
   * Begins to follow.
   *
   * @param crowd a user who isn't waited for
   * @param wanted how many events are to come
   */
  JudgedUsers(TestTopics testTopics, String crowd, long wanted) {
    this.crowd = crowd;
    this.wanted = wanted;
    consumer = testTopics.consumer(testTopics.topics.accounting());
    done = CompletableFuture.runAsync(this::follow);
  }

  /** A user whose report is about to be sent. */
  void expect(String userId) {
    sentNanos.put(userId, System.nanoTime());
  }

  void await(Duration patience) throws Exception {
    done.get(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  Map<Outcome, Long> outcomes() {
    return outcomes;
  }

  /** Of those who were expected, from sending to the committed verdict, ascending. */
  List<Duration> delays() {
    return delays;
  }

  /**
   * How many events of the crowd stand before that of each who was expected, by user: of those on
   * whose partition the crowd is, since only there is one before the other.
   */
  Map<String, Long> crowdBefore() {
    return crowdBefore;
  }

  /** Waits for the first events; those that are wanted may still be to come. */
  void awaitSeen(long events, Duration patience) throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (seen.get() < events) {
      if (done.isCompletedExceptionally() || System.nanoTime() > deadline) {
        throw new AssertionError(
            "%d events of %d after %s".formatted(seen.get(), events, patience));
      }
      // The job needs the processor.
      Thread.sleep(POLL_MS);
    }
  }

  double perSecond() {
    return seen.get() * 1e9 / (lastNanos - firstNanos);
  }

  private void follow() {
    while (seen.get() < wanted && !closed) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(50))) {
        add(record.partition(), record.value());
      }
    }
    Collections.sort(delays);
  }

  private void add(int partition, byte[] value) {
    AccountingEvent event;
    try {
      event = AccountingEvent.parseFrom(value);
    } catch (com.google.protobuf.InvalidProtocolBufferException e) {
      throw new AssertionError("An event that can't be read", e);
    }
    long now = System.nanoTime();
    firstNanos = seen.get() == 0 ? now : firstNanos;
    lastNanos = now;
    outcomes.merge(event.getOutcome(), 1L, Long::sum);
    Long sent = sentNanos.get(event.getUserId());
    if (event.getUserId().equals(crowd)) {
      crowdByPartition.merge(partition, 1L, Long::sum);
    } else if (sent != null) {
      delays.add(Duration.ofNanos(now - sent));
      if (crowdByPartition.containsKey(partition)) {
        crowdBefore.put(event.getUserId(), crowdByPartition.get(partition));
      }
    }
    seen.incrementAndGet();
  }

  @Override
  public void close() {
    closed = true;
    done.exceptionally(failure -> null).join();
    consumer.close();
  }
}
