package io.croupier.cli.demo;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Requests of many devices to a gateway: a limited number at the same time, each again while the
 * gateway can't take it. Used by one thread.
 */
final class GatewayRequests implements AutoCloseable {

  private static final int MOST_TRIES = 60;
  private static final Duration ANSWER = Duration.ofSeconds(90);
  private static final long PAUSE_MS = 1000;

  private final int most;
  private final Semaphore free;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final ExecutorService executor =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "demo-devices");
            thread.setDaemon(true);
            return thread;
          });
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).executor(executor).build();

  /**
   * Prepares requests.
   *
   * @param most requests at the same time
   */
  GatewayRequests(int most) {
    this.most = most;
    free = new Semaphore(most);
  }

  /**
   * Sends a request; waits while too many are under way.
   *
   * @param onAnswer takes the answer on a thread of its own; what it throws is a failure
   * @throws IllegalStateException if an earlier request failed
   */
  void send(HttpRequest request, Consumer<HttpResponse<byte[]>> onAnswer)
      throws InterruptedException {
    free.acquire();
    requireSuccess();
    CompletableFuture<HttpResponse<byte[]>> result = new CompletableFuture<>();
    CompletableFuture<Void> unused =
        result
            .thenAcceptAsync(onAnswer, executor)
            .whenComplete(
                (done, failed) -> {
                  if (failed != null) {
                    failure.compareAndSet(null, failed);
                  }
                  free.release();
                });
    attempt(request, 1, result);
  }

  /**
   * Waits until all requests are answered.
   *
   * @throws IllegalStateException if a request failed
   */
  void await() throws InterruptedException {
    free.acquire(most);
    free.release(most);
    requireSuccess();
  }

  /**
   * Checks the requests so far.
   *
   * @throws IllegalStateException if one failed
   */
  void requireSuccess() {
    if (failure.get() != null) {
      throw new IllegalStateException("A device can't take part", failure.get());
    }
  }

  private void attempt(
      HttpRequest request, int tries, CompletableFuture<HttpResponse<byte[]>> result) {
    CompletableFuture<HttpResponse<byte[]>> unused =
        client
            .sendAsync(request, BodyHandlers.ofByteArray())
            .orTimeout(ANSWER.toSeconds(), TimeUnit.SECONDS)
            .whenComplete(
                (answer, failed) -> {
                  boolean isLast = tries >= MOST_TRIES || executor.isShutdown();
                  if (!isLast && (failed == null ? isTemporary(answer) : isLost(failed))) {
                    CompletableFuture.delayedExecutor(PAUSE_MS, TimeUnit.MILLISECONDS, executor)
                        .execute(() -> attempt(request, tries + 1, result));
                  } else if (failed == null) {
                    result.complete(answer);
                  } else {
                    result.completeExceptionally(failed);
                  }
                });
  }

  private static boolean isTemporary(HttpResponse<byte[]> answer) {
    return answer.statusCode() >= 400 && answer.headers().firstValue("Retry-After").isPresent();
  }

  private static boolean isLost(Throwable failed) {
    return failed instanceof IOException || failed.getCause() instanceof IOException;
  }

  /** Ends the requests that are under way. */
  @Override
  public void close() {
    executor.shutdownNow();
  }
}
