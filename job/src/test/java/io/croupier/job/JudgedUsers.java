package io.croupier.job;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
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
 * Follows an accounting topic. It keeps only counts, and for some users how long they waited: in
 * time, and in events of the crowd before theirs.
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
   * Begins to follow the topic.
   *
   * @param crowd a user whose delays are not measured
   * @param wanted number of expected events
   */
  JudgedUsers(TestTopics testTopics, String crowd, long wanted) {
    this.crowd = crowd;
    this.wanted = wanted;
    consumer = testTopics.consumer(testTopics.topics.accounting());
    done = CompletableFuture.runAsync(this::follow);
  }

  /** Registers a user whose report is sent next. */
  void expect(String userId) {
    sentNanos.put(userId, System.nanoTime());
  }

  void await(Duration patience) throws Exception {
    done.get(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  Map<Outcome, Long> outcomes() {
    return outcomes;
  }

  /** Delays of the expected users, from sending to the committed outcome, ascending. */
  List<Duration> delays() {
    return delays;
  }

  /**
   * The number of the crowd's events before the event of each expected user, by user. It contains
   * only users on the crowd's partition, since events of different partitions have no order.
   */
  Map<String, Long> crowdBefore() {
    return crowdBefore;
  }

  /** Waits for the first {@code events} events; more may follow. */
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
        add(record);
      }
    }
    Collections.sort(delays);
  }

  private void add(ConsumerRecord<byte[], byte[]> record) {
    int partition = record.partition();
    AccountingEvent event;
    try {
      event = AccountingEvents.read(record.key(), record.value());
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
