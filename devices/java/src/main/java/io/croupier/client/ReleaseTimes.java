package io.croupier.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * When reports are sent: at whole multiples of a delay after a release began, so that the time of
 * sending contains nothing of the draw but how many delays it took, which is one unless the draw is
 * longer than the delay. With a delay of 0, immediately.
 */
final class ReleaseTimes {
  private final long delay;
  private final LongSupplier clock;
  private final LongConsumer sleeper;

  /**
   * Times by a clock of nanoseconds.
   *
   * @param sleeper returns so many nanoseconds later, or earlier
   */
  ReleaseTimes(Duration delay, LongSupplier clock, LongConsumer sleeper) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("releaseDelay is " + delay + "; it must be at least 0");
    }
    this.delay = delay.toNanos();
    this.clock = clock;
    this.sleeper = sleeper;
  }

  /** Times by the clock of the process. */
  static ReleaseTimes after(Duration delay) {
    return new ReleaseTimes(delay, System::nanoTime, ReleaseTimes::sleep);
  }

  /** When a release begins. */
  long begin() {
    return clock.getAsLong();
  }

  /** Returns when the report of a release that began then may be sent. */
  void await(long begin) {
    if (delay == 0) {
      return;
    }
    long drawn = clock.getAsLong() - begin;
    long due = (Math.max(0, drawn - 1) / delay + 1) * delay;
    for (long left = due - drawn; left > 0; left = due - (clock.getAsLong() - begin)) {
      sleeper.accept(left);
    }
  }

  /** An interruption doesn't send the report earlier; the thread stays interrupted. */
  private static void sleep(long nanos) {
    boolean isInterrupted = Thread.interrupted();
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      isInterrupted = true;
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
