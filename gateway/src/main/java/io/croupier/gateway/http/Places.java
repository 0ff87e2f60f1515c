package io.croupier.gateway.http;

import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A bounded number of places for requests, and a bounded share of them for each address. Safe for
 * use by several threads.
 */
final class Places {
  private static final Duration SOON = Duration.ofSeconds(1);

  /** An address's own requests end later than those of all. */
  private static final Duration LATER = Duration.ofSeconds(10);

  private final int most;
  private final int mostOfOne;
  private final AtomicInteger taken = new AtomicInteger();
  private final ConcurrentMap<String, Integer> shares = new ConcurrentHashMap<>();

  /**
   * Creates places.
   *
   * @param most how many there are
   * @param mostOfOne how many of them one address may take
   */
  Places(int most, int mostOfOne) {
    this.most = most;
    this.mostOfOne = mostOfOne;
  }

  /** A taken place. */
  final class Place implements AutoCloseable {
    private final String address;
    private final AtomicBoolean open = new AtomicBoolean(true);

    Place(String address) {
      this.address = address;
    }

    /** Frees the place; further calls have no effect. */
    @Override
    public void close() {
      if (open.compareAndSet(true, false)) {
        taken.decrementAndGet();
        shares.computeIfPresent(address, (key, share) -> share == 1 ? null : share - 1);
      }
    }
  }

  int taken() {
    return taken.get();
  }

  /** How many addresses have a place. */
  int addresses() {
    return shares.size();
  }

  /**
   * Takes a place.
   *
   * @param address who takes it
   * @throws ProblemException if there is none, or none for the address
   */
  Place take(String address) {
    int all = taken.incrementAndGet();
    int share = shares.merge(address, 1, Integer::sum);
    Place place = new Place(address);
    if (all > most) {
      place.close();
      throw new ProblemException(
          ProblemDocument.of(
                  ProblemType.UNAVAILABLE, "the gateway has too many requests at the same time")
              .retryAfter(SOON));
    }
    if (share > mostOfOne) {
      place.close();
      throw new ProblemException(
          ProblemDocument.of(
                  ProblemType.TOO_MANY_REQUESTS,
                  "the sender's address has too many requests at the same time")
              .retryAfter(LATER));
    }
    return place;
  }
}
