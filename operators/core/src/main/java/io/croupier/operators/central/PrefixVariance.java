package io.croupier.operators.central;

/**
 * Variance of the noise of prefixes under a buffered linear Toeplitz matrix: the coefficients of A
 * C^-1 are b_k = a + sum_j d_j theta^_j^k. No term is negative if no theta^ is, so that nothing
 * cancels.
 *
 * @param limit a
 * @param weights d, shape [m]
 * @param inversePoles 1 - theta^, shape [m]
 */
@SuppressWarnings("ArrayRecordComponent") // no two are compared
record PrefixVariance(double limit, double[] weights, double[] inversePoles) {
  /**
   * Computes the coefficients from the residues of the inverse.
   *
   * @param poles 1 - theta, ascending
   * @param inversePoles 1 - theta^, each between two of them
   */
  static PrefixVariance of(double[] poles, double[] inversePoles) {
    double limit = 1;
    double[] weights = new double[poles.length];
    for (int j = 0; j < poles.length; j++) {
      limit *= poles[j] / inversePoles[j];
      // -omega^_j = prod_i (theta_i - theta^_j) / prod_(i != j) (theta^_i - theta^_j), up to sign.
      double weight = (inversePoles[j] - poles[j]) / inversePoles[j];
      for (int i = 0; i < poles.length; i++) {
        if (i != j) {
          weight *= (inversePoles[j] - poles[i]) / (inversePoles[j] - inversePoles[i]);
        }
      }
      weights[j] = weight;
    }
    return new PrefixVariance(limit, weights, inversePoles);
  }

  /** Returns b_k. */
  double coefficient(long k) {
    double sum = limit;
    for (int j = 0; j < weights.length; j++) {
      sum += weights[j] * GeometricSum.power(inversePoles[j], k);
    }
    return sum;
  }

  /**
   * Returns the variance of the prefix after the given number of steps: the sum of the squares of
   * the first b_k. Increasing.
   */
  double of(long steps) {
    double variance = steps * limit * limit;
    for (int i = 0; i < weights.length; i++) {
      variance += 2 * limit * weights[i] * GeometricSum.of(inversePoles[i], steps);
      for (int j = 0; j < weights.length; j++) {
        double complement = GeometricSum.ofProduct(inversePoles[i], inversePoles[j]);
        variance += weights[i] * weights[j] * GeometricSum.of(complement, steps);
      }
    }
    return variance;
  }
}
