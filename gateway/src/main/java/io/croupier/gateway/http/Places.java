package io.croupier.gateway.http;

import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A bounded number of places, for requests or their bytes, and a bounded share of them for each
 * sender, an address or a user. Safe for use by several threads.
 */
final class Places {
  private static final Duration SOON = Duration.ofSeconds(1);

  /** A sender's own requests end later than those of all. */
  private static final Duration LATER = Duration.ofSeconds(10);

  private final long most;
  private final long mostOfOne;
  private final AtomicLong taken = new AtomicLong();
  private final ConcurrentMap<String, Long> shares = new ConcurrentHashMap<>();

  /**
   * Creates places.
   *
   * @param most how many there are
   * @param mostOfOne how many of them one sender may take
   */
  Places(long most, long mostOfOne) {
    this.most = most;
    this.mostOfOne = mostOfOne;
  }

  /** The taken places of one request. */
  final class Place implements AutoCloseable {
    private final String sender;

    // Guarded by this.
    private long size;
    private boolean closed;

    private Place(String sender) {
      this.sender = sender;
    }

    /**
     * Takes more places; none once this is closed.
     *
     * @throws ProblemException if there are not as many, or not for the sender
     */
    synchronized void grow(int by) {
      if (closed) {
        return;
      }
      size += by;
      long all = taken.addAndGet(by);
      long share = shares.merge(sender, (long) by, Long::sum);
      if (all > most) {
        close();
        throw new ProblemException(
            ProblemDocument.of(
                    ProblemType.UNAVAILABLE, "the gateway has too many requests at the same time")
                .retryAfter(SOON));
      }
      if (share > mostOfOne) {
        close();
        throw new ProblemException(
            ProblemDocument.of(
                    ProblemType.TOO_MANY_REQUESTS,
                    "the sender has too many requests at the same time")
                .retryAfter(LATER));
      }
    }

    /** Frees the places; further calls have no effect. */
    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        taken.addAndGet(-size);
        shares.computeIfPresent(sender, (key, share) -> share == size ? null : share - size);
      }
    }
  }

  long taken() {
    return taken.get();
  }

  /** How many senders have a place. */
  int senders() {
    return shares.size();
  }

  /**
   * Takes a place.
   *
   * @throws ProblemException if there is none, or none for the sender
   */
  Place take(String sender) {
    Place place = new Place(sender);
    place.grow(1);
    return place;
  }

  /** Takes no place yet, for a request that will {@linkplain Place#grow take} some. */
  Place none(String sender) {
    return new Place(sender);
  }
}
