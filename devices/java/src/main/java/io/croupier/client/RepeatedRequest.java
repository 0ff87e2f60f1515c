package io.croupier.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Sends a request to a gateway again, after growing pauses, while the gateway is unreachable or
 * answers that it can't take it now (408, 429, 5xx, or any status with Retry-After).
 */
final class RepeatedRequest {
  /** Longer than a gateway waits for Kafka. */
  static final Duration MOST_ANSWER = Duration.ofSeconds(30);

  static final int MOST_BODY = 1 << 16;

  private final Duration patience;
  private final BackOff backOff = new BackOff();

  /** Sends a request once. */
  @FunctionalInterface
  interface Attempt {
    /** Returns the body of the answer, if that is a success. */
    byte[] send() throws GatewayException, InterruptedException;
  }

  /**
   * Prepares requests.
   *
   * @param patience how long to repeat one
   */
  RepeatedRequest(Duration patience) {
    this.patience = patience;
  }

  /**
   * Sends a request until it succeeds.
   *
   * @return the body of the answer
   * @throws GatewayException if another answer is not temporary, or the time is over
   */
  byte[] send(Attempt attempt) throws GatewayException, InterruptedException {
    long start = System.nanoTime();
    for (int failures = 0; ; failures++) {
      try {
        return attempt.send();
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
