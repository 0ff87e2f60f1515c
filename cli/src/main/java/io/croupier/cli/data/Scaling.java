package io.croupier.cli.data;

import java.util.Arrays;
import org.apache.commons.math3.stat.descriptive.rank.Percentile;

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

  /** The median of {@code values}. */
  static double median(double[] values) {
    return new Percentile().evaluate(values, 50);
  }

  static double[] ones(int size) {
    double[] ones = new double[size];
    Arrays.fill(ones, 1);
    return ones;
  }
}
