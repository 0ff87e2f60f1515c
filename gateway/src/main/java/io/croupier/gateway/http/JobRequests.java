package io.croupier.gateway.http;

import io.croupier.gateway.kafka.Answers;
import io.croupier.gateway.kafka.ReportStore;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests that the job answers: each is written to a topic, and waits for a committed record.
 *
 * @param <R> what identifies a request
 * @param <A> its answer
 * @param executor runs what follows an answer, since the thread that follows must not
 */
record JobRequests<R, A>(
    Answers<R, A> answers,
    ReportStore store,
    String topic,
    Duration longestWait,
    Executor executor,
    Drain drain) {
  private static final Logger LOG = LoggerFactory.getLogger(JobRequests.class);
  private static final Duration SOON = Duration.ofSeconds(5);

  /**
   * Writes a request, and returns its answer.
   *
   * @param late why there is none within the longest wait, for the sender
   * @return fails with a {@link ProblemException}
   */
  CompletableFuture<A> ask(R request, String userId, byte[] record, String late) {
    CompletableFuture<A> answer = answers.await(request, longestWait);
    Runnable drained =
        () -> answer.completeExceptionally(unavailable("the gateway ends; send the same again"));
    drain.add(drained);
    return store
        .send(topic, userId, record)
        .exceptionallyCompose(this::notStored)
        .thenCompose(position -> answer)
        .handleAsync(
            (given, failure) -> {
              drain.remove(drained);
              answer.cancel(false);
              if (failure != null) {
                throw ended(failure, late);
              }
              return given;
            },
            executor);
  }

  private CompletableFuture<RecordMetadata> notStored(Throwable failure) {
    LOG.warn("A request could not be stored on {}: {}", topic, failure.getClass().getName());
    return CompletableFuture.failedFuture(
        unavailable("Kafka did not acknowledge the request; send it again"));
  }

  private static ProblemException ended(Throwable failure, String late) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof ProblemException problem ? problem : unavailable(late);
  }

  static ProblemException unavailable(String detail) {
    return new ProblemException(
        ProblemDocument.of(ProblemType.UNAVAILABLE, detail).retryAfter(SOON));
  }
}
