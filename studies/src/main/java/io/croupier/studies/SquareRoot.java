package io.croupier.studies;

import io.croupier.accounting.tree.ParticipationLimits;

/**
 * The square root of the matrix of prefix sums [FHU22], which has the least worst error of all
 * Toeplitz matrices for one participation: coefficients binomial(2k, k) / 4^k. It would require
 * storing all past noise.
 */
final class SquareRoot implements PrefixError {
  private final double[] coefficients;
  private final double[] variances;

  SquareRoot(int steps) {
    coefficients = new double[steps];
    variances = new double[steps + 1];
    double coefficient = 1;
    for (int k = 0; k < steps; k++) {
      coefficients[k] = coefficient;
      variances[k + 1] = variances[k] + coefficient * coefficient;
      coefficient *= (2 * k + 1) / (2.0 * k + 2);
    }
  }

  @Override
  public String label() {
    return "square root";
  }

  /** As early and as often as possible is the worst, the coefficients being decreasing [MXZ24]. */
  @Override
  public double zeta(long steps, ParticipationLimits limits) {
    long participations = SumNoise.participations(steps, limits);
    double[] response = new double[(int) steps];
    for (long i = 0; i < participations; i++) {
      int first = (int) (i * (limits.minSeparation() + 1));
      for (int t = first; t < steps; t++) {
        response[t] += coefficients[t - first];
      }
    }
    double squares = 0;
    for (double value : response) {
      squares += value * value;
    }
    return squares;
  }

  @Override
  public double variance(long step) {
    return variances[(int) step];
  }

  /**
   * Lower bound on the root mean square error of every mechanism, for one participation: the sum of
   * the singular values of the matrix of prefix sums, over the steps [DMRST22].
   */
  static double bound(int steps) {
    double sum = 0;
    for (int j = 1; j <= steps; j++) {
      sum += 1 / (2 * Math.sin((2 * j - 1) * Math.PI / (4.0 * steps + 2)));
    }
    return sum / steps;
  }
}
