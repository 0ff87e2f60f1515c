package io.croupier.gateway.kafka;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.client.SkippedRecords;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The job's committed answers to requests on Kafka, and the requests that wait for one. Each copy
 * of a request gets an answer of its own, so no earlier one is kept. Safe for use by several
 * threads, one of which follows.
 *
 * @param <R> what identifies a request
 * @param <A> its answer
 */
public final class Answers<R, A> {
  private final SkippedRecords skipped = new SkippedRecords();
  private final AnswerFormat<A> format;
  private final BiFunction<byte[], A, R> requestOf;
  private final ConcurrentMap<R, Set<Waiter<A>>> waiting = new ConcurrentHashMap<>();

  /** Parses an answer. */
  @FunctionalInterface
  public interface AnswerFormat<A> {
    /** Parses the value of a record. */
    A parse(byte[] value) throws InvalidProtocolBufferException;
  }

  /** One of the requests that wait for an answer. */
  private static final class Waiter<A> {
    private final CompletableFuture<A> end = new CompletableFuture<>();
  }

  /**
   * Creates the answers of a topic.
   *
   * @param requestOf the request to which a record's key and answer belong
   */
  public Answers(AnswerFormat<A> format, BiFunction<byte[], A, R> requestOf) {
    this.format = format;
    this.requestOf = requestOf;
  }

  /** Takes a record of the topic. */
  public void apply(ConsumerRecord<byte[], byte[]> record) {
    if (record.key() == null || record.value() == null) {
      return;
    }
    try {
      A answer = format.parse(record.value());
      Set<Waiter<A>> ended = waiting.remove(requestOf.apply(record.key(), answer));
      if (ended != null) {
        ended.forEach(waiter -> waiter.end.complete(answer));
      }
    } catch (InvalidProtocolBufferException e) {
      skipped.add(record.topic(), record.partition(), record.offset(), "it is no answer");
    }
  }

  /**
   * Waits for the answer to a request; call it before the request is sent.
   *
   * @return fails with a {@link java.util.concurrent.TimeoutException} after {@code longest}
   */
  public CompletableFuture<A> await(R request, Duration longest) {
    Waiter<A> waiter = new Waiter<>();
    waiting.compute(
        request,
        (of, present) -> {
          Set<Waiter<A>> all = present == null ? ConcurrentHashMap.newKeySet() : present;
          all.add(waiter);
          return all;
        });
    CompletableFuture<A> unused =
        waiter
            .end
            .orTimeout(longest.toMillis(), TimeUnit.MILLISECONDS)
            .whenComplete((answer, failure) -> forget(request, waiter));
    return waiter.end;
  }

  private void forget(R request, Waiter<A> waiter) {
    waiting.computeIfPresent(
        request,
        (of, present) -> {
          present.remove(waiter);
          return present.isEmpty() ? null : present;
        });
  }
}
