package io.croupier.accounting.tree;

import java.util.HashMap;
import java.util.Map;

/** Slow and simple computations, to verify the fast ones. */
final class ExhaustivePlacements {
  private ExhaustivePlacements() {}

  /** The largest zeta over all subsets of the steps that respect the limits. */
  static long largestZeta(Schedule schedule) {
    long largest = 0;
    for (int set = 0; set < 1 << schedule.steps(); set++) {
      if (allowed(set, schedule.limits())) {
        largest = Math.max(largest, zeta(set, schedule));
      }
    }
    return largest;
  }

  private static boolean allowed(int set, ParticipationLimits limits) {
    if (Integer.bitCount(set) > limits.maxParticipations()) {
      return false;
    }
    for (int rest = set; rest != 0; rest &= rest - 1) {
      int later = rest & (rest - 1);
      if (later != 0
          && Integer.numberOfTrailingZeros(later) - Integer.numberOfTrailingZeros(rest)
              <= limits.minSeparation()) {
        return false;
      }
    }
    return true;
  }

  private static long zeta(int set, Schedule schedule) {
    int steps = (int) schedule.steps();
    int every = schedule.restartEvery() == Schedule.NEVER ? steps : (int) schedule.restartEvery();
    long zeta = 0;
    for (int from = 0; from < steps; from += every) {
      int size = Math.min(every, steps - from);
      boolean last = from + size == steps;
      int completed = size == 1 ? 1 : Integer.highestOneBit(size - 1) << 1;
      int leaves = schedule.completion().completes(last) ? completed : size;
      for (int width = 1; width <= leaves; width *= 2) {
        for (int i = 0; i + width <= leaves; i += width) {
          int below = 0;
          for (int leaf = i; leaf < Math.min(i + width, size); leaf++) {
            below += set >> (from + leaf) & 1;
          }
          zeta += (long) below * below;
        }
      }
    }
    return zeta;
  }

  /** [KMSTTX21, eq. 17 and 18] as stated, with the base cases in the correct order. */
  static final class StatedRecursion {
    private static final long INFEASIBLE = Long.MIN_VALUE / 4;
    private final int xi;
    private final Map<Long, Long> known = new HashMap<>();

    StatedRecursion(int xi) {
      this.xi = xi;
    }

    long largest(int maxParticipations, int steps) {
      long largest = 0;
      for (int w = 0; w <= maxParticipations; w++) {
        largest = Math.max(largest, zeta(w, 0, xi, steps));
      }
      return largest;
    }

    private long zeta(int contributions, int start, int end, int size) {
      if (start + contributions * (xi + 1) > size + end) {
        return INFEASIBLE;
      }
      if (contributions == 0) {
        return 0;
      }
      if (size == 1) {
        return contributions == 1 ? 1 : INFEASIBLE;
      }
      long key = ((contributions * 1000L + start) * 1000L + end) * 1000L + size;
      Long before = known.get(key);
      if (before != null) {
        return before;
      }
      int half = Integer.highestOneBit(size - 1);
      long best = INFEASIBLE;
      for (int i = 0; i <= contributions; i++) {
        for (int j = 0; j <= xi; j++) {
          best =
              Math.max(
                  best, zeta(contributions - i, start, j, half) + zeta(i, j, end, size - half));
        }
      }
      long zeta = best + (Integer.bitCount(size) == 1 ? (long) contributions * contributions : 0);
      known.put(key, Math.max(zeta, INFEASIBLE));
      return Math.max(zeta, INFEASIBLE);
    }
  }
}
