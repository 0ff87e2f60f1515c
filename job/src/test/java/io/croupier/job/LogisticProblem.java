package io.croupier.job;

import java.util.random.RandomGenerator;

/**
 * Logistic regression with a known optimum: every coordinate of x is -1 or 1 with equal
 * probability, and y is 1 with probability 1 / (1 + exp(-w* x)). With few coordinates its true loss
 * is a finite sum.
 */
final class LogisticProblem {
  /** Loss of all-zero weights, in nats, as before any learning. */
  static final double LOSS_OF_NOTHING = Math.log(2);

  private static final double[] OPTIMUM = {1, -0.8, 0.6, -0.4, 0.8, -0.6, 0.4, -1};

  /** d: length of weights and gradients. */
  static final int DIMENSION = OPTIMUM.length;

  private LogisticProblem() {}

  /**
   * The gradient of one person's loss at {@code weights}, shape [d], for a newly drawn x and y.
   * Each coordinate is at most 1 in absolute value, so its L2 norm is at most sqrt(8).
   */
  static double[] gradient(double[] weights, RandomGenerator random) {
    int x = random.nextInt(1 << DIMENSION);
    double y = random.nextDouble() < probability(dot(OPTIMUM, x)) ? 1 : 0;
    double slope = probability(dot(weights, x)) - y;
    double[] gradient = new double[DIMENSION];
    for (int j = 0; j < DIMENSION; j++) {
      gradient[j] = slope * coordinate(x, j);
    }
    return gradient;
  }

  /** The expected loss of {@code weights}, shape [d], in nats. */
  static double loss(double[] weights) {
    double loss = 0;
    for (int x = 0; x < 1 << DIMENSION; x++) {
      double one = probability(dot(OPTIMUM, x));
      double score = dot(weights, x);
      loss += one * softplus(-score) + (1 - one) * softplus(score);
    }
    return loss / (1 << DIMENSION);
  }

  /** The least expected loss of any weights, in nats. */
  static double leastLoss() {
    return loss(OPTIMUM);
  }

  private static double dot(double[] weights, int x) {
    double dot = 0;
    for (int j = 0; j < DIMENSION; j++) {
      dot += weights[j] * coordinate(x, j);
    }
    return dot;
  }

  private static int coordinate(int x, int j) {
    return (x >> j & 1) == 0 ? -1 : 1;
  }

  private static double probability(double score) {
    return 1 / (1 + Math.exp(-score));
  }

  /** ln(1 + exp(score)). */
  private static double softplus(double score) {
    return Math.max(score, 0) + Math.log1p(Math.exp(-Math.abs(score)));
  }
}
