package io.croupier.operators.noise;

/**
 * Tight sub-exponential variance of declared noise along one direction: the smallest sigma1^2 with
 * E exp(beta &lt;noise, a&gt;) <= exp(beta^2 sigma1^2 / 2) for every unit vector a and |beta| <=
 * range.
 *
 * <p>Source: [JO19, Lemma 7], whose 18 d^2 / epsilon^2 is loose by a factor 4d; the values here
 * follow from the moment generating functions. {@code -ln(1 - k^2) / k^2} grows with k, so the end
 * of the range determines the variance. It is infinite if the moment generating function is
 * infinite at the end of the range.
 */
final class DirectionalVariance {
  private DirectionalVariance() {}

  /**
   * Density exp(-(epsilon / 2G) ||z||): along any direction the moment generating function is (1 -
   * k^2)^(-(d+1)/2), k = 2G beta / epsilon < 1.
   */
  static double l2Laplace(int dimension, double scale, double range) {
    return (dimension + 1.0) * scale * scale * growth(scale * range);
  }

  /**
   * Independent Laplace coordinates: 1 / (1 - k^2) along the axis of the largest scale 2G / tau_j,
   * which is the worst direction, k = beta 2G / tau_j < 1.
   */
  static double coordinateLaplace(double largestScale, double range) {
    return 2 * largestScale * largestScale * growth(largestScale * range);
  }

  /** N(0, scale^2 I), for any range. */
  static double gaussian(double scale) {
    return scale * scale;
  }

  /** -ln(1 - k^2) / k^2, which tends to 1 for k to 0 and has a pole at 1. */
  private static double growth(double k) {
    double square = k * k;
    if (square == 0) {
      return 1;
    }
    return k < 1 ? -StrictMath.log1p(-square) / square : Double.POSITIVE_INFINITY;
  }
}
