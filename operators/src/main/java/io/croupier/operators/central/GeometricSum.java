package io.croupier.operators.central;

/**
 * Sums 1 + r + ... + r^(n-1) for a ratio given by what it lacks of 1, which is known to full
 * precision where the ratio, near 1, is not. Relative error a few ulp, on every platform the same.
 */
final class GeometricSum {
  /** Below, powers by way of the logarithm, which keeps the digits of the complement. */
  private static final double NEAR_ONE = 0.5;

  private GeometricSum() {}

  /**
   * The sum.
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

  /** r^n. */
  static double power(double complement, long exponent) {
    return complement < NEAR_ONE
        ? StrictMath.exp(exponent * StrictMath.log1p(-complement))
        : StrictMath.pow(1 - complement, (double) exponent);
  }

  /** The complement of the product of two numbers, from theirs. */
  static double ofProduct(double complement, double other) {
    return complement + other - complement * other;
  }
}
