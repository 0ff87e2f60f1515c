package io.croupier.operators.central;

/** Checks of the arguments and the restored state of prefix sums. */
final class PrefixSumChecks {
  private PrefixSumChecks() {}

  static int dimension(int dimension) {
    if (dimension < 1) {
      throw new IllegalArgumentException("dimension is " + dimension + "; it must be at least 1");
    }
    return dimension;
  }

  static void shape(String name, int length, int dimension) {
    if (length != dimension) {
      throw new IllegalArgumentException(
          "%s has %d coordinates; the model has %d".formatted(name, length, dimension));
    }
  }

  static void step(long step, long maxSteps) {
    if (step < 1 || step > maxSteps) {
      throw new IllegalArgumentException(
          "step is %d; it must be between 1 and %d".formatted(step, maxSteps));
    }
  }

  static long stepsBefore(long steps, long maxSteps) {
    if (steps < 0 || steps > maxSteps) {
      throw new IllegalArgumentException(
          "%d steps count as taken before the first one; it must be between 0 and %d"
              .formatted(steps, maxSteps));
    }
    return steps;
  }

  /** Requires that no noise is missing from a restored state, since it would be 0. */
  static void restored(String name, long[] values) {
    for (long value : values) {
      if (value == Long.MIN_VALUE) {
        throw new IllegalStateException("state '" + name + "' is missing or incomplete");
      }
    }
  }
}
