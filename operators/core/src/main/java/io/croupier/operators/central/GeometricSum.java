package io.croupier.operators.central;

/**
 * Sums 1 + r + ... + r^(n-1) for a ratio given by its complement 1 - r, which has full precision
 * where the ratio, near 1, has not. The relative error is a few ulp, and equal on every platform.
 */
final class GeometricSum {
  /** Below this complement, powers use the logarithm, which keeps the digits of the complement. */
  private static final double NEAR_ONE = 0.5;

  private GeometricSum() {}

  /**
   * Returns the sum.
   *
   * @param complement 1 - r, from 0 to 2
   * @param terms n, at least 0
   */
  static double of(double complement, long terms) {
    if (complement == 0) {
      return (double) terms;
    }
    return complement < NEAR_ONE
        ? -StrictMath.expm1(terms * StrictMath.log1p(-complement)) / complement
        : (1 - StrictMath.pow(1 - complement, (double) terms)) / complement;
  }

  /** Returns r^n. */
  static double power(double complement, long exponent) {
    return complement < NEAR_ONE
        ? StrictMath.exp(exponent * StrictMath.log1p(-complement))
        : StrictMath.pow(1 - complement, (double) exponent);
  }

  /** Returns the complement of the product of two numbers, from their complements. */
  static double ofProduct(double complement, double other) {
    return complement + other - complement * other;
  }
}
