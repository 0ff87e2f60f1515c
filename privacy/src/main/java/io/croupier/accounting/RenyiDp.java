package io.croupier.accounting;

/**
 * Conversion of Renyi DP to (epsilon, delta)-DP. A mechanism of Renyi divergence at most r at order
 * a > 1 between neighbouring inputs [Mir17] is (epsilon, delta)-DP for
 *
 * <pre>
 *   epsilon = r + ln(1 - 1 / a) - (ln delta + ln a) / (a - 1)
 * </pre>
 *
 * <p>[CKS20, Proposition 12]. At order infinity that is r itself, and pure DP.
 */
public final class RenyiDp {
  /** Margin relative to the largest term, which exceeds the rounding error of the sum. */
  static final double ROUNDING = 0x1p-49;

  /** Orders are at least this much above 1, so that no reciprocal overflows. */
  static final double LEAST_ORDER_MINUS_ONE = 1e-300;

  /**
   * Limit on Newton's steps, which usually are fewer than ten; every order yields a valid bound.
   */
  private static final int MOST_STEPS = 100;

  private RenyiDp() {}

  /**
   * The epsilon at delta that a Renyi divergence implies, at least 0, rounded up.
   *
   * @param order a, above 1; may be infinite
   * @param divergence r, at least 0
   * @param logDelta natural logarithm of delta, at most 0
   */
  public static double epsilon(double order, double divergence, double logDelta) {
    requireOrder(order);
    ArgumentChecks.notNegative("divergence", divergence);
    ArgumentChecks.logProbability("logDelta", logDelta);
    double sum = divergence + overhead(order - 1, -logDelta);
    return Math.max(0, sum + ROUNDING * divergence);
  }

  static void requireOrder(double order) {
    if (!(order > 1)) {
      throw ArgumentChecks.refusal("order", order, "it must be above 1");
    }
  }

  /**
   * The term that the conversion adds to the divergence, rounded up; may be negative.
   *
   * @param x a - 1, at least {@link #LEAST_ORDER_MINUS_ONE}
   * @param logInverseDelta ln(1 / delta), at least 0
   */
  static double overhead(double x, double logInverseDelta) {
    if (x == Double.POSITIVE_INFINITY) {
      return 0;
    }
    if (logInverseDelta == Double.POSITIVE_INFINITY) {
      return logInverseDelta;
    }
    double tail = logInverseDelta / x;
    double logOrder = StrictMath.log1p(x) / x;
    double gain = StrictMath.log1p(1 / x);
    return tail - logOrder - gain + ROUNDING * (tail + logOrder + gain);
  }

  /**
   * The best x = a - 1 for a divergence of slope * a + a constant, up to rounding: the solution of
   * slope x^2 + ln(1 + x) = ln(1 / delta), at least {@link #LEAST_ORDER_MINUS_ONE}. Infinite on
   * overflow.
   *
   * @param slope at least 0
   * @param logInverseDelta above 0, finite
   */
  static double bestOrderMinusOne(double slope, double logInverseDelta) {
    // The lower bound uses ln(1 + x) <= x, the upper one omits a term.
    double low = logInverseDelta / (0.5 + StrictMath.sqrt(0.25 + slope * logInverseDelta));
    double high =
        Math.min(
            StrictMath.sqrt(logInverseDelta) / StrictMath.sqrt(slope),
            StrictMath.expm1(logInverseDelta));
    if (high == Double.POSITIVE_INFINITY) {
      return high;
    }
    if (high <= LEAST_ORDER_MINUS_ONE) {
      return LEAST_ORDER_MINUS_ONE;
    }
    low = Math.min(high, Math.max(low, LEAST_ORDER_MINUS_ONE));
    double x = low;
    for (int i = 0; i < MOST_STEPS; i++) {
      double excess = slope * x * x + StrictMath.log1p(x) - logInverseDelta;
      if (excess > 0) {
        high = x;
      } else {
        low = x;
      }
      double next = x - excess / (2 * slope * x + 1 / (1 + x));
      if (!(next > low && next < high)) {
        next = low + (high - low) / 2;
      }
      if (Math.abs(next - x) <= 0x1p-50 * x) {
        return next;
      }
      x = next;
    }
    return x;
  }
}
