package io.croupier.client;

import io.croupier.schemas.Account;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Sends the reports of one person to a gateway, under the person's token. The gateway computes the
 * user's id from the token, so reports contain none.
 *
 * <p>Reports are sent one after the other. While the gateway is unreachable, or answers that it
 * can't take a report now (408, 429, 5xx, or any status with Retry-After), the same bytes are sent
 * again, after growing pauses that are never shorter than Retry-After, for up to two minutes since
 * the call. A report is refused permanently by 400, 409, 415 or 422 with a problem document of a
 * gateway, by 403 with that of a stopped person, and by 413 of any server. An unknown model, 404
 * with a problem document that names a field, may be one that this gateway has not read yet, while
 * the device knows it from another one: the report is refused permanently by the sixth such answer
 * within the two minutes, after pauses of 4 to 8 seconds together. Any other answer fails the
 * report, which stays pending.
 */
public final class HttpReportTransport implements ReportTransport, AutoCloseable {
  /** As long as Kafka's producer tries. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Longer than a gateway waits for Kafka. */
  private static final Duration MOST_ANSWER = Duration.ofSeconds(30);

  /** Answers that a model is unknown, of which the last is believed. */
  private static final int UNKNOWN = 6;

  /** Also of a report that had to wait for those before it. */
  private static final Duration LEAST_ANSWER = Duration.ofSeconds(1);

  /** An answer of 200 is wrong; this much of it is read. */
  private static final int MOST_BODY = 1 << 16;

  private static final int MOST_ACCOUNT = 1 << 17;

  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final GatewayConnection gateway;
  private final Supplier<String> tokens;
  private final Duration patience;
  private final BackOff backOff = new BackOff();
  private final ExecutorService sender =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "report-transport");
            thread.setDaemon(true);
            return thread;
          });
  private volatile boolean closed;

  /** The sender's thread; null before the first report. Guarded by this. */
  private Thread thread;

  /**
   * Whether that thread waits for the gateway. An interrupt of what follows a report, such as the
   * mark in a ledger, would close the file that the ledger's owner still uses. Guarded by this.
   */
  private boolean isWaiting;

  /** The last one that the gateway accepted; empty until then. */
  private volatile Optional<String> token = Optional.empty();

  /**
   * Creates a transport; connects to nothing yet.
   *
   * @param gateway base of the gateway's API, without /v1: https, or http on the loopback interface
   * @param tokens returns the person's bearer token. It is called before the first report, and once
   *     more after each answer of 401; a {@link TokenFile} suits it
   * @throws IllegalArgumentException if the URL is another one
   */
  public HttpReportTransport(URI gateway, Supplier<String> tokens) {
    this(gateway, tokens, PATIENCE);
  }

  HttpReportTransport(URI gateway, Supplier<String> tokens, Duration patience) {
    this.gateway = new GatewayConnection(gateway);
    this.tokens = tokens;
    this.patience = patience;
  }

  /** The gateway knows who sends, and this name may differ from the ledger's. */
  @Override
  public boolean namesUser() {
    return false;
  }

  @Override
  public CompletableFuture<Void> send(String userId, byte[] report) {
    long start = System.nanoTime();
    try {
      return CompletableFuture.runAsync(() -> deliver(report, start), sender);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(closed());
    }
  }

  private static IllegalStateException closed() {
    return new IllegalStateException("the transport is closed");
  }

  private synchronized void setWaiting(boolean waits) {
    thread = Thread.currentThread();
    isWaiting = waits;
  }

  private void deliver(byte[] report, long start) {
    setWaiting(true);
    try {
      int unknown = 0;
      for (int failures = 0; !closed; failures++) {
        Duration left = patience.minusNanos(System.nanoTime() - start);
        try {
          post(report, longer(LEAST_ANSWER, shorter(MOST_ANSWER, left)));
          return;
        } catch (GatewayException e) {
          boolean isUnknown = e.isUnknownModel() && !e.isTemporary();
          if (e.isFinal() || (isUnknown && ++unknown >= UNKNOWN)) {
            throw e.isStop()
                ? new PersonStoppedException(e)
                : new ReportRefusedException(e.getMessage(), e);
          }
          Duration pause = backOff.pause(failures, e.retryAfter());
          left = patience.minusNanos(System.nanoTime() - start);
          if (!(e.isTemporary() || isUnknown) || pause.compareTo(left) > 0) {
            throw new CompletionException(e);
          }
          TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        }
      }
      throw closed();
    } catch (InterruptedException e) {
      // Only close interrupts this thread, which ends then.
      throw new CompletionException(closed());
    } finally {
      setWaiting(false);
      boolean unused = Thread.interrupted();
    }
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private void post(byte[] report, Duration time) throws GatewayException, InterruptedException {
    send(bearer -> request(report, bearer), 202, time, MOST_BODY);
  }

  /**
   * Sends a request; if its token is refused, once more with a newer one.
   *
   * @param request of a token
   * @param right status of the answer
   */
  private HttpResponse<byte[]> send(
      Function<String, HttpRequest> request, int right, Duration time, int most)
      throws GatewayException, InterruptedException {
    String used = token.orElseGet(this::newToken);
    HttpResponse<byte[]> answer = gateway.send(request.apply(used), time, most);
    if (answer.statusCode() == 401) {
      token = Optional.empty();
      String newer = newToken();
      if (!newer.equals(used)) {
        answer = gateway.send(request.apply(newer), time, most);
        used = newer;
      }
    }
    if (answer.statusCode() != right) {
      throw gateway.failure(answer);
    }
    token = Optional.of(used);
    return answer;
  }

  private String newToken() {
    return TokenFile.requireForm(tokens.get());
  }

  @Override
  public Account account(Duration longest) throws IOException {
    try {
      return Account.parseFrom(send(this::request, 200, longest, MOST_ACCOUNT).body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for the account");
    }
  }

  /** For the account of the token's person. */
  private HttpRequest request(String bearer) {
    return gateway
        .request("/v1/account")
        .header("Authorization", "Bearer " + bearer)
        .header("Accept", GatewayConnection.PROTOBUF)
        .GET()
        .build();
  }

  private HttpRequest request(byte[] report, String bearer) {
    return gateway
        .request("/v1/reports")
        .header("Authorization", "Bearer " + bearer)
        .header("Content-Type", GatewayConnection.PROTOBUF)
        .POST(BodyPublishers.ofByteArray(report))
        .build();
  }

  /**
   * Stops sending. Reports that are not acknowledged yet fail; their ledger keeps them, and the
   * next reporter sends them again.
   */
  @Override
  public void close() {
    closed = true;
    // What waits fails, since this is closed.
    sender.shutdown();
    boolean isOwn;
    synchronized (this) {
      if (isWaiting) {
        thread.interrupt();
      }
      isOwn = thread == Thread.currentThread();
    }
    try {
      boolean unused = isOwn || sender.awaitTermination(CLOSE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      gateway.close();
    }
  }
}
