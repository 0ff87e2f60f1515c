package io.croupier.accounting;

/**
 * An (epsilon, delta) limit on mechanisms whose parameters are chosen adaptively, one after the
 * other: the sum of their Renyi divergences at one fixed order must not exceed a budget [FZ21]. All
 * admitted mechanisms together are (epsilon, delta)-DP; composition theorems for parameters fixed
 * in advance don't imply this.
 *
 * <p>The cost of a pure mechanism is {@link PureDp#renyi} at the order, that of others the order
 * times rho, where rho is mu^2 / 2 for mu-GDP.
 *
 * @param order above 1
 * @param budget at least 0: epsilon + (ln delta + ln a) / (a - 1) - ln(1 - 1 / a), rounded down
 */
public record RenyiFilter(double order, double budget) {
  private static final int HALVINGS = 70;
  private static final double SMALLEST = 0x1p-30;

  /**
   * The filter that admits the largest rho of Gaussian mechanisms: the order is that of {@link
   * ZeroConcentratedDp#order} for the rho that corresponds to exactly epsilon.
   *
   * @param epsilon in nats, positive and finite
   * @param logDelta natural logarithm of delta, negative and finite
   */
  public static RenyiFilter of(double epsilon, double logDelta) {
    if (!(epsilon > 0 && epsilon <= Double.MAX_VALUE)) {
      throw ArgumentChecks.refusal("epsilon", epsilon, "it must be positive and finite");
    }
    if (!(logDelta < 0 && logDelta >= -Double.MAX_VALUE)) {
      throw ArgumentChecks.refusal("logDelta", logDelta, "it must be negative and finite");
    }
    // The optimal rho at x = a - 1 is (l - ln(1 + x)) / x^2; its epsilon decreases in x. Bisection
    // in ln x.
    double l = -logDelta;
    double low = -700;
    double high = Math.min(700, StrictMath.log(StrictMath.expm1(l)));
    for (int i = 0; i < HALVINGS; i++) {
      double middle = (low + high) / 2;
      double x = StrictMath.exp(middle);
      double spare = l - StrictMath.log1p(x);
      if (spare / x * (2 + 1 / x) - StrictMath.log1p(1 / x) > epsilon) {
        low = middle;
      } else {
        high = middle;
      }
    }
    // Any order is valid, but too close to 1 the difference a - 1 would lose all digits.
    double order = 1 + Math.max(SMALLEST, StrictMath.exp(high));
    return new RenyiFilter(order, budget(order, epsilon, l));
  }

  private static double budget(double order, double epsilon, double logInverseDelta) {
    double budget = epsilon - RenyiDp.overhead(order - 1, logInverseDelta);
    return Math.max(0, budget - RenyiDp.ROUNDING * (epsilon + Math.abs(budget)));
  }
}
