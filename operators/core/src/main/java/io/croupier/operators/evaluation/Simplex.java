package io.croupier.operators.evaluation;

import java.util.Arrays;

/** Fractions that are at least 0 and add up to 1. */
public final class Simplex {
  private Simplex() {}

  /**
   * Returns the point of the simplex with the least squared distance [HWC74]: each fraction less
   * one number, or 0 if that is negative.
   *
   * @param fractions at least one, finite; left as they are
   */
  public static double[] nearest(double[] fractions) {
    double[] sorted = fractions.clone();
    Arrays.sort(sorted);
    double sum = 0;
    double threshold = 0;
    for (int n = 1; n <= sorted.length; n++) {
      double next = sorted[sorted.length - n];
      if (n > 1 && next <= threshold) {
        break;
      }
      sum += next;
      threshold = (sum - 1) / n;
    }
    double[] nearest = new double[fractions.length];
    for (int j = 0; j < nearest.length; j++) {
      nearest[j] = Math.max(0, fractions[j] - threshold);
    }
    return nearest;
  }
}
