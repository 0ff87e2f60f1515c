package io.croupier.cli.data;

import java.util.Arrays;

/** Functions that scale features. */
final class Scaling {

  private Scaling() {}

  /** Divides all {@code features}, rows of {@code dimension}, by the largest norm of a row. */
  static void divideByLargestRow(double[] features, int dimension) {
    double largest = 0;
    for (int row = 0; row < features.length; row += dimension) {
      double square = 0;
      for (int j = row; j < row + dimension; j++) {
        square += features[j] * features[j];
      }
      largest = Math.max(largest, square);
    }
    double norm = Math.sqrt(largest);
    for (int j = 0; j < features.length; j++) {
      features[j] /= norm;
    }
  }

  /**
   * Values times the power of 2 that brings the largest of them near 1, so that neither their sum
   * nor that of their squares overflows.
   */
  static double[] near1(double[] values) {
    double largest = Arrays.stream(values).map(Math::abs).max().orElse(0);
    int exponent = Math.getExponent(largest);
    return Arrays.stream(values).map(value -> Math.scalb(value, -exponent)).toArray();
  }

  /** The median of {@code values}. */
  static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    double below = sorted[(sorted.length - 1) / 2];
    double above = sorted[sorted.length / 2];
    return below == above ? below : below / 2 + above / 2;
  }

  static double[] ones(int size) {
    double[] ones = new double[size];
    Arrays.fill(ones, 1);
    return ones;
  }
}
