package io.croupier.client;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Sends a request to a gateway again, after growing pauses, while the gateway is unreachable or
 * answers that it can't take it now (408, 429, 5xx, or any status with Retry-After).
 */
final class RepeatedRequest {
  /** Longer than a gateway waits for Kafka. */
  private static final Duration MOST_ANSWER = Duration.ofSeconds(30);

  private static final int MOST_BODY = 1 << 16;
  private static final int UNAUTHORISED = 401;

  private final GatewayConnection gateway;
  private final Duration patience;
  private final BackOff backOff = new BackOff();

  /**
   * Prepares requests.
   *
   * @param patience how long to repeat one
   */
  RepeatedRequest(GatewayConnection gateway, Duration patience) {
    this.gateway = gateway;
    this.patience = patience;
  }

  /**
   * Sends a request until it succeeds.
   *
   * @param request the request; asked for at every attempt, and once more after an answer of 401
   * @param success the status of success
   * @return the body of the answer
   * @throws GatewayException if another answer is not temporary, or the time is over
   */
  byte[] send(Supplier<HttpRequest> request, int success)
      throws GatewayException, InterruptedException {
    long start = System.nanoTime();
    for (int failures = 0; ; failures++) {
      try {
        HttpResponse<byte[]> answer = gateway.send(request.get(), MOST_ANSWER, MOST_BODY);
        if (answer.statusCode() == UNAUTHORISED) {
          answer = gateway.send(request.get(), MOST_ANSWER, MOST_BODY);
        }
        if (answer.statusCode() == success) {
          return answer.body();
        }
        throw gateway.failure(answer);
      } catch (GatewayException e) {
        Duration pause = backOff.pause(failures, e.retryAfter());
        Duration left = patience.minusNanos(System.nanoTime() - start);
        if (!e.isTemporary() || pause.compareTo(left) > 0) {
          throw e;
        }
        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
      }
    }
  }
}
