package io.croupier.operators.learner;

/**
 * The maximum E of a v - b v^2 on [0, c], and its place: inside at a / 2b, or at the edge c.
 *
 * <p>exp(E) needs E to an absolute accuracy of 1e-14, and E reaches 700: it is a sum of two
 * doubles. The higher may be off by some ulp, because the lower is computed from the higher's
 * actual value. Exact products use fused multiplication, exact sums Knuth's two-sum.
 */
final class Peak {
  private Peak() {}

  /** Returns a - 2bc, correctly rounded: positive where the peak is at the edge. */
  static double slope(double a, double b, double c) {
    double p = b * c;
    double pLow = Math.fma(b, c, -p);
    double d = a - 2 * p;
    return d + (twoSumError(a, -2 * p, d) - 2 * pLow);
  }

  /** Returns E, rounded: a^2 / 4b inside, c (a - bc) at the edge. */
  static double exponent(double a, double b, double c, double slope) {
    return isInside(b, slope) ? a * a / (4 * b) : c * (a - b * c);
  }

  /** Returns E - {@code exponent}. */
  static double exponentLow(double a, double b, double c, double slope, double exponent) {
    if (isInside(b, slope)) {
      double q = a * a;
      double qLow = Math.fma(a, a, -q);
      double r = exponent * 4 * b;
      double rLow = Math.fma(exponent, 4 * b, -r);
      return ((q - r) - rLow + qLow) / (4 * b);
    }
    double p = b * c;
    double pLow = Math.fma(b, c, -p);
    double h = a - p;
    double hLow = twoSumError(a, -p, h) - pLow;
    return Math.fma(c, h, -exponent) + c * hLow;
  }

  static boolean isInside(double b, double slope) {
    return slope <= 0 && b > 0;
  }

  /** Returns x + y - sum, exactly (Knuth). */
  private static double twoSumError(double x, double y, double sum) {
    double z = sum - x;
    return (x - (sum - z)) + (y - z);
  }
}
