package io.croupier.cli.data;

/**
 * Weights {@code u(x) = min(1, k / ||x||)} of rows x, which bound what a row far out can do to a
 * regression (Mallows 1975, as Hampel et al. 1986, section 6.3, have it): the gradient {@code u(x)
 * psi_c((<x, w> - y) / sigma) x} of Huber's loss is no longer than c k, whatever x, y and w are.
 * Avella-Medina, Bradshaw and Loh (2023) use weights of this kind to make private M-estimators,
 * with {@code min(1, 2 / ||x||^2)}; this one takes no more from a row than the bound needs.
 */
final class Mallows {

  private Mallows() {}

  /**
   * The weight of each row.
   *
   * @param features rows of {@code dimension}, one behind the other; left as they are
   * @param k the length from which on a row is weighted down; positive
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
