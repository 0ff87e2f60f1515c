package io.croupier.client.randomiser;

import io.croupier.noise.SecureBits;

/** Randomisers whose draws can be repeated, to compare another implementation with them. */
public final class SeededRandomisers {
  private SeededRandomisers() {}

  /** The randomiser with these seeds, and these bits for its indices. */
  public static PrivUnitRandomiser privUnit(
      double gradientBound,
      int dimension,
      double epsilon,
      int candidates,
      SecureBits seeds,
      SecureBits bits) {
    return new PrivUnitRandomiser(gradientBound, dimension, epsilon, candidates, seeds, bits);
  }

  /** What {@link PrivUnitRandomiser} ranks candidates by. */
  public static double[] lift(double[] gradient, double gradientBound) {
    return PrivUnitRandomiser.lift(gradient, gradientBound);
  }

  /** The candidates that it prefers. */
  public static boolean[] top(double[] heights, int top) {
    return PrivUnitRandomiser.top(heights, top);
  }

  /** The probability of its coin, in units of 2^-63. */
  public static long acceptance(double epsilon) {
    return PrivUnitRandomiser.acceptance(epsilon);
  }
}
