package io.croupier.cli.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/** The growth rate of a count over the last 5 s. */
final class GrowthRate {

  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Deque<Sample> samples = new ArrayDeque<>();

  private record Sample(long nanos, long count) {}

  /** Records a count and returns its growth per second. */
  double at(long nanos, long count) {
    samples.addLast(new Sample(nanos, count));
    while (samples.size() > 2 && nanos - samples.getFirst().nanos() > WINDOW_NANOS) {
      samples.removeFirst();
    }
    Sample first = samples.getFirst();
    return nanos == first.nanos() ? 0 : (count - first.count()) * 1e9 / (nanos - first.nanos());
  }
}
