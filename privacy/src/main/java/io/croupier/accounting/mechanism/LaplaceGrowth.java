package io.croupier.accounting.mechanism;

/**
 * How much larger the sub-exponential variance of Laplace noise is than its variance, by the range
 * of beta.
 *
 * <p>Source: [JO19, Lemma 7], whose 18 d^2 / epsilon^2 is loose by a factor 4d; the values here
 * follow from the moment generating functions. {@code -ln(1 - k^2) / k^2} grows with k, so the end
 * of the range determines the variance.
 */
final class LaplaceGrowth {
  private LaplaceGrowth() {}

  /**
   * -ln(1 - k^2) / k^2, which tends to 1 for k to 0 and has a pole at 1.
   *
   * @param k the end of the range in units of 1 / scale
   */
  static double at(double k) {
    double square = k * k;
    if (square == 0) {
      return 1;
    }
    return k < 1 ? -StrictMath.log1p(-square) / square : Double.POSITIVE_INFINITY;
  }
}
