package io.croupier.bench;

import java.util.SplittableRandom;

/**
 * Sums of coins L and variances V of many coordinates, as a learner with G = 1 and b = 1 evaluates
 * them, in random order.
 *
 * <p>V is log-uniform from 1/100 to 1e9. Seven of ten coordinates are random walks: L is Gaussian
 * with variance V. Two have |L| / (2 sqrt B) uniform from 0 to 10. One drifts as far as the bound
 * on gradients allows, with L from 1 to 2 times 2BC, at a V that keeps the weight in range.
 */
final class Coordinates {
  static final double HALF_WIDTH = 0.2;
  static final double B = 1;

  final double[] coins;
  final double[] variances;

  Coordinates(int dimension, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    coins = new double[dimension];
    variances = new double[dimension];
    for (int i = 0; i < dimension; i++) {
      int kind = random.nextInt(10);
      double variance = logUniform(random, -2, kind == 9 ? 3 : 9);
      double size =
          switch (kind) {
            case 7, 8 -> 20 * random.nextDouble() * Math.sqrt(variance + B);
            case 9 -> 2 * (variance + B) * HALF_WIDTH * (1 + random.nextDouble());
            default -> Math.abs(random.nextGaussian()) * Math.sqrt(variance);
          };
      coins[i] = random.nextBoolean() ? size : -size;
      variances[i] = variance;
    }
  }

  /** 10 to the power of a uniform number between {@code from} and {@code to}. */
  static double logUniform(SplittableRandom random, double from, double to) {
    return Math.pow(10, from + (to - from) * random.nextDouble());
  }
}
