package io.croupier.cli.data;

/**
 * Weights {@code u(x) = min(1, k / ||x||)} of rows x, which bound the influence of outlying rows on
 * a regression (Mallows 1975, as in Hampel et al. 1986, section 6.3): the gradient {@code u(x)
 * psi_c((<x, w> - y) / sigma) x} of Huber's loss is no longer than c k for any x, y and w.
 * Avella-Medina, Bradshaw and Loh (2023) use such weights for private M-estimators, with {@code
 * min(1, 2 / ||x||^2)}; the weight here is the largest one that satisfies the bound.
 */
final class Mallows {

  private Mallows() {}

  /**
   * The weight of each row.
   *
   * @param features rows of {@code dimension} values, concatenated; not modified
   * @param k the norm above which a row is weighted down; positive
   */
  static double[] weights(double[] features, int dimension, double k) {
    double[] weights = new double[features.length / dimension];
    for (int i = 0; i < weights.length; i++) {
      double norm = 0;
      for (int j = i * dimension; j < (i + 1) * dimension; j++) {
        norm = Math.hypot(norm, features[j]);
      }
      weights[i] = norm > k ? k / norm : 1;
    }
    return weights;
  }
}
