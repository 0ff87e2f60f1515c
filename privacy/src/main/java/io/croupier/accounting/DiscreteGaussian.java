package io.croupier.accounting;

import java.util.function.DoubleUnaryOperator;

/**
 * The guarantee of integer (discrete) Gaussian noise. Its zero-concentrated guarantee is exact
 * [CKS20]. Normal noise, rounded to the grid, is mu-GDP, and the law of discrete noise differs from
 * it by a total variation distance of at most {@link #variation}.
 *
 * <p>Distances add up over releases, including adaptively chosen ones. If both laws are within a
 * distance t of mu-GDP laws: P(S) &lt;= P'(S) + t &lt;= exp(epsilon) Q'(S) + delta + t &lt;=
 * exp(epsilon) Q(S) + delta + (1 + exp(epsilon)) t. So t takes (1 + exp(epsilon)) t of delta. At
 * large epsilons this exceeds delta, and only the zero-concentrated guarantee remains.
 */
public final class DiscreteGaussian {
  /** Exceeds the relative error of a few roundings of doubles. */
  private static final double UP = 1 + 0x1p-48;

  /**
   * Allowed increase of epsilon during its solution: each attempt reserves delta for a larger
   * epsilon.
   */
  private static final double MORE = 0x1p-10;

  private static final int ATTEMPTS = 8;

  private static final int BISECTIONS = 100;

  private DiscreteGaussian() {}

  /**
   * The distance of one release from rounded normal noise: min(d / 24, sqrt(d) / 16) / s^2, rounded
   * up.
   *
   * @param dimension d, at least 1
   * @param deviation s of the noise, in steps of the grid, at least 1; or a lower bound of s
   */
  public static double variation(double dimension, double deviation) {
    double steps = Math.max(deviation, 0x1p-500);
    return Math.min(dimension / 24, Math.sqrt(dimension) / 16) / steps / steps * UP;
  }

  /**
   * An epsilon at delta of noise within a given distance of mu-GDP noise, rounded up; infinite
   * where the distance takes all of delta.
   *
   * @param mu at least 0
   * @param variation the distance, at least 0; may be infinite
   * @param logDelta natural logarithm of delta, at most 0
   */
  public static double epsilon(double mu, double variation, double logDelta) {
    return epsilon(log -> GaussianDp.epsilon(mu, log), variation, logDelta);
  }

  /**
   * The same for any mechanism.
   *
   * @param epsilonAt its epsilon as a function of the logarithm of delta, not increasing
   */
  static double epsilon(DoubleUnaryOperator epsilonAt, double variation, double logDelta) {
    double epsilon = epsilonAt.applyAsDouble(logDelta);
    if (variation == 0 || logDelta == 0 || !(epsilon <= Double.MAX_VALUE)) {
      return epsilon;
    }
    double delta = StrictMath.exp(logDelta) / UP;
    for (int i = 0; i < ATTEMPTS; i++) {
      double reserved = price(epsilon + (1 << i) * MORE, variation);
      if (!(reserved < delta)) {
        break;
      }
      double found = epsilonAt.applyAsDouble(StrictMath.log((delta - reserved) / UP));
      if (price(found, variation) <= reserved) {
        return found;
      }
    }
    return Double.POSITIVE_INFINITY;
  }

  /** The part of delta that a distance takes. */
  private static double price(double epsilon, double variation) {
    return (1 + StrictMath.exp(epsilon)) * variation * UP;
  }

  /**
   * The largest mu, rounded down, for which noise whose distance from mu-GDP noise is at most rate
   * mu^2 is (epsilon, delta)-DP. On one grid the total distance of all releases satisfies this
   * bound, since s is at least the sensitivity divided by mu.
   *
   * @param epsilon at least 0, finite
   * @param rate at least 0, finite
   * @param logDelta natural logarithm of delta, negative and finite
   */
  public static double mu(double epsilon, double rate, double logDelta) {
    double high = GaussianDp.mu(epsilon, logDelta);
    double delta = StrictMath.exp(logDelta) / UP;
    if (keeps(epsilon, rate, delta, high)) {
      return high;
    }
    double low = 0;
    for (int i = 0; i < BISECTIONS; i++) {
      double middle = low + (high - low) / 2;
      if (!(middle > low && middle < high)) {
        break;
      }
      if (keeps(epsilon, rate, delta, middle)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static boolean keeps(double epsilon, double rate, double delta, double mu) {
    double reserved = price(epsilon, rate * mu * mu);
    return rate == 0
        || (reserved < delta
            && GaussianDp.logDelta(epsilon, mu) / UP <= StrictMath.log((delta - reserved) / UP));
  }
}
