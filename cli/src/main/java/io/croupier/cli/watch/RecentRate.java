package io.croupier.cli.watch;

import java.util.Arrays;

/**
 * Events per second over the last ten whole seconds. Committed events become visible in bursts, one
 * per checkpoint, so a shorter window would flicker. Not safe for use by several threads.
 */
final class RecentRate {
  private static final int SECONDS = 10;

  private final long[] counts = new long[SECONDS + 1];
  private long newest = Long.MIN_VALUE;
  private long first;

  /** Counts an event in a second. A clock that is set back begins a new count. */
  void add(long second) {
    advance(second);
    counts[slot(second)]++;
  }

  /** The rate in the seconds before {@code second}. */
  double at(long second) {
    if (newest == Long.MIN_VALUE) {
      return 0;
    }
    advance(second);
    long sum = 0;
    for (long past = second - SECONDS; past < second; past++) {
      sum += counts[slot(past)];
    }
    return sum / (double) Math.max(1, Math.min(SECONDS, second - first));
  }

  private void advance(long second) {
    if (second < newest || newest == Long.MIN_VALUE) {
      Arrays.fill(counts, 0);
      first = second;
    } else if (second - newest > SECONDS) {
      Arrays.fill(counts, 0);
    } else {
      for (long skipped = newest + 1; skipped <= second; skipped++) {
        counts[slot(skipped)] = 0;
      }
    }
    newest = second;
  }

  private static int slot(long second) {
    return (int) Math.floorMod(second, (long) SECONDS + 1);
  }
}
