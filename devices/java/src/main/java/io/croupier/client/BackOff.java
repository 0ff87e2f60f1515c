package io.croupier.client;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;

/**
 * Pauses between attempts: they double from {@link #FIRST} to {@link #LONGEST}, shortened at random
 * by up to a half, so that devices that failed together don't return together.
 */
final class BackOff {
  static final Duration FIRST = Duration.ofMillis(250);
  static final Duration LONGEST = Duration.ofSeconds(30);

  private static final int MOST_DOUBLINGS = 10;

  private final SecureRandom random = new SecureRandom();

  /**
   * The pause after a failure.
   *
   * @param failures number of failures in a row before it
   * @param asked what the receiver asked for; the pause is never shorter, and may be up to one
   *     {@link #FIRST} longer
   */
  Duration pause(int failures, Optional<Duration> asked) {
    long most =
        Math.min(FIRST.toMillis() << Math.min(failures, MOST_DOUBLINGS), LONGEST.toMillis());
    Duration own = Duration.ofMillis(most / 2 + random.nextLong(most / 2 + 1));
    return asked
        .map(time -> time.plusMillis(random.nextLong(FIRST.toMillis() + 1)))
        .filter(time -> time.compareTo(own) > 0)
        .orElse(own);
  }
}
