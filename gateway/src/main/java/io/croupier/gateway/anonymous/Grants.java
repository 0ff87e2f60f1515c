package io.croupier.gateway.anonymous;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.client.SkippedRecords;
import io.croupier.schemas.Grant;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The job's committed verdicts on requests for tokens, and the requests that wait for one. Each
 * copy of a request gets a verdict of its own, so no earlier one is kept. Safe for use by several
 * threads, one of which follows.
 */
public final class Grants {
  private final SkippedRecords skipped = new SkippedRecords();
  private final ConcurrentMap<ByteString, Set<Waiter>> waiting = new ConcurrentHashMap<>();

  /** One of the requests that wait for a verdict. */
  private static final class Waiter {
    private final CompletableFuture<Grant> end = new CompletableFuture<>();
  }

  /** Takes a record of the grants topic. */
  public void apply(ConsumerRecord<byte[], byte[]> record) {
    if (record.value() == null) {
      return;
    }
    try {
      Grant grant = Grant.parseFrom(record.value());
      Set<Waiter> ended = waiting.remove(grant.getTag());
      if (ended != null) {
        ended.forEach(waiter -> waiter.end.complete(grant));
      }
    } catch (InvalidProtocolBufferException e) {
      skipped.add(record.topic(), record.partition(), record.offset(), "it is not a Grant");
    }
  }

  /**
   * Waits for the verdict on a request; call it before the request is sent.
   *
   * @return fails with a {@link java.util.concurrent.TimeoutException} after {@code longest}
   */
  public CompletableFuture<Grant> await(ByteString tag, Duration longest) {
    Waiter waiter = new Waiter();
    waiting.compute(
        tag,
        (of, present) -> {
          Set<Waiter> all = present == null ? ConcurrentHashMap.newKeySet() : present;
          all.add(waiter);
          return all;
        });
    CompletableFuture<Grant> unused =
        waiter
            .end
            .orTimeout(longest.toMillis(), TimeUnit.MILLISECONDS)
            .whenComplete((grant, failure) -> forget(tag, waiter));
    return waiter.end;
  }

  private void forget(ByteString tag, Waiter waiter) {
    waiting.computeIfPresent(
        tag,
        (of, present) -> {
          present.remove(waiter);
          return present.isEmpty() ? null : present;
        });
  }
}
