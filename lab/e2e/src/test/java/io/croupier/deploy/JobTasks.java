package io.croupier.deploy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Polls the JobManager, and records when all tasks of the job ran again after a fault: each has
 * then restored its state, and compared it with the visible outputs.
 */
final class JobTasks implements AutoCloseable {
  private static final long PAUSE_MS = 50;
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final HttpRequest request;
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
  private final CompletableFuture<Void> polling;
  private final long since;
  private Duration runAgain;
  private boolean stopped;
  private volatile boolean ended;

  /**
   * Starts to poll.
   *
   * @param since time of the fault, on the clock of {@link System#nanoTime}
   */
  JobTasks(Cluster cluster, long since) {
    this.since = since;
    request =
        HttpRequest.newBuilder(URI.create(cluster.rest() + "/jobs/overview"))
            .timeout(PATIENCE)
            .build();
    polling = CompletableFuture.runAsync(this::poll, task -> new Thread(task).start());
  }

  private void poll() {
    try {
      while (!ended) {
        look();
        TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void look() throws InterruptedException {
    boolean runs;
    try {
      runs = allRun(client.send(request, BodyHandlers.ofString()).body());
    } catch (HttpTimeoutException e) {
      // A slow answer says nothing about the tasks.
      return;
    } catch (IOException e) {
      // No JobManager serves.
      runs = false;
    }
    synchronized (this) {
      if (!runs) {
        stopped = true;
        runAgain = null;
      } else if (stopped && runAgain == null) {
        runAgain = Duration.ofNanos(System.nanoTime() - since);
      }
    }
  }

  /** Returns whether the overview has a job and all its tasks run. */
  static boolean allRun(String overview) {
    long running = number(overview, "running");
    return running > 0 && running == number(overview, "total");
  }

  private static long number(String overview, String field) {
    Matcher found = Pattern.compile("\"" + field + "\":(\\d+)").matcher(overview);
    return found.find() ? Long.parseLong(found.group(1)) : -1;
  }

  /** Stops, and returns the time from the fault until all tasks ran again; empty if none ended. */
  Optional<Duration> end() {
    close();
    synchronized (this) {
      return Optional.ofNullable(runAgain);
    }
  }

  @Override
  public void close() {
    ended = true;
    polling.join();
  }
}
