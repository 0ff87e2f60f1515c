package io.croupier.gateway.http;

import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Parses JSON bodies in threads of their own, at most half as many as there are processors: a parse
 * takes ten times as long as one of Protobuf, and sixty times the memory of its text. Each user has
 * at most one parse that waits or runs, so no user delays another by more than one. Safe for use by
 * several threads.
 */
final class JsonParses {
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final int WAITING = 64;
  private static final int KEEP_SECONDS = 10;

  private final Set<String> users = ConcurrentHashMap.newKeySet();
  private final ThreadPoolExecutor threads;

  JsonParses() {
    int most = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    threads =
        new ThreadPoolExecutor(
            most,
            most,
            KEEP_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            task -> {
              Thread thread = new Thread(task, "gateway-json");
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Runs a parse for a user.
   *
   * @throws ProblemException if the user has another parse, or too many users have one
   */
  <T> CompletableFuture<T> run(String userId, Supplier<T> parse) {
    if (!users.add(userId)) {
      throw new ProblemException(
          ProblemDocument.of(
                  ProblemType.TOO_MANY_REQUESTS,
                  "the sender's reports in JSON must come one after the other")
              .retryAfter(SOON));
    }
    try {
      return CompletableFuture.supplyAsync(parse, threads)
          .whenComplete((result, failure) -> users.remove(userId));
    } catch (RejectedExecutionException e) {
      users.remove(userId);
      throw new ProblemException(
          ProblemDocument.of(
                  ProblemType.UNAVAILABLE, "the gateway has too many reports in JSON to read")
              .retryAfter(SOON));
    }
  }
}
