package io.croupier.gateway.http;

import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A bounded number of places for requests. Safe for use by several threads. */
final class Places {
  private static final Duration SOON = Duration.ofSeconds(1);

  private final int most;
  private final AtomicInteger taken = new AtomicInteger();

  Places(int most) {
    this.most = most;
  }

  /** A taken place. */
  final class Place implements AutoCloseable {
    private final AtomicBoolean open = new AtomicBoolean(true);

    /** Frees the place; further calls have no effect. */
    @Override
    public void close() {
      if (open.compareAndSet(true, false)) {
        taken.decrementAndGet();
      }
    }
  }

  int taken() {
    return taken.get();
  }

  /**
   * Takes a place.
   *
   * @throws ProblemException if there is none
   */
  Place take() {
    if (taken.incrementAndGet() > most) {
      taken.decrementAndGet();
      throw new ProblemException(
          ProblemDocument.of(
                  ProblemType.UNAVAILABLE, "the gateway has too many requests at the same time")
              .retryAfter(SOON));
    }
    return new Place();
  }
}
