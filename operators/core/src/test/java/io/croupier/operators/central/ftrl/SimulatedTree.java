package io.croupier.operators.central.ftrl;

import java.util.Arrays;
import java.util.Random;

/**
 * The noise of prefix sums by tree aggregation, without the sums, for tests of the updates. Its
 * generator is not secure.
 */
final class SimulatedTree {
  private final Random random;
  private final double[][] open = new double[40][];
  private final int dimension;
  private long leaves;

  SimulatedTree(int dimension, Random random) {
    this.dimension = dimension;
    this.random = random;
  }

  /**
   * Returns the contribution of noise 1 in the node of {@code height} and {@code index} to the
   * prefix sum of {@code t} leaves: under Honaker's estimator, its share in the node that ends at
   * t, if it is below that node; otherwise 0.
   */
  static double share(int height, int index, int t, boolean honaker) {
    int consumed = 0;
    for (int h = 30; h >= 0; h--) {
      if (((t >> h) & 1) == 0) {
        continue;
      }
      int node = consumed >> h;
      consumed += 1 << h;
      if (height <= h && index >> (h - height) == node) {
        return honaker
            ? 1 / (double) (1 << (h - height)) / (2 - 1 / (double) (1 << h))
            : height == h ? 1 : 0;
      }
    }
    return 0;
  }

  /**
   * Writes the noise of the next prefix, of node noise 1, Honaker's estimator, into {@code into}.
   */
  void next(double[] into) {
    leaves++;
    double[] node = draw();
    int height = 0;
    while (((leaves >> height) & 1) == 0) {
      double[] above = draw();
      for (int i = 0; i < dimension; i++) {
        above[i] += (open[height][i] + node[i]) / 2;
      }
      node = above;
      height++;
    }
    open[height] = node;
    Arrays.fill(into, 0);
    for (int h = 0; h < open.length; h++) {
      if (((leaves >> h) & 1) == 1) {
        for (int i = 0; i < dimension; i++) {
          into[i] += open[h][i] / (2 - Math.scalb(1.0, -h));
        }
      }
    }
  }

  /** Returns the variance of the noise of the latest prefix, in each coordinate. */
  double variance() {
    double variance = 0;
    for (int h = 0; h < open.length; h++) {
      if (((leaves >> h) & 1) == 1) {
        variance += 1 / (2 - Math.scalb(1.0, -h));
      }
    }
    return variance;
  }

  private double[] draw() {
    double[] values = new double[dimension];
    Arrays.setAll(values, i -> random.nextGaussian());
    return values;
  }
}
