package io.croupier.accounting;

/**
 * Pure differential privacy, epsilon: its conversions to other definitions, and its composition.
 * All results rest on one fact: every epsilon-DP mechanism is a post-processing of randomised
 * response, a bit that is correct with probability exp(epsilon) / (1 + exp(epsilon)) [KOV17].
 * Randomised response itself attains the values of {@link #rho}, {@link #mu} and {@link #renyi}, so
 * none can be improved.
 *
 * <p>Epsilon is in nats; an infinite one guarantees nothing.
 */
public final class PureDp {
  private static final double SQRT_2 = 1.4142135623730951;
  private static final double SQRT_HALF_PI = 1.2533141373155001;
  private static final double LN_SQRT_PI = 0.5723649429247001;

  /** Below this epsilon, mu is proportional to epsilon up to a relative error of 1e-15. */
  private static final double SMALL = 1e-8;

  private PureDp() {}

  /**
   * The least rho of zero-concentrated DP: epsilon tanh(epsilon / 2). (The bound epsilon^2 / 2 of
   * [BS16] is larger.)
   *
   * @param epsilon at least 0
   */
  public static double rho(double epsilon) {
    ArgumentChecks.notNegative("epsilon", epsilon);
    return epsilon * StrictMath.tanh(epsilon / 2);
  }

  /**
   * The Renyi divergence at an order a: ln(cosh((a - 1/2) epsilon) / cosh(epsilon / 2)) / (a - 1),
   * and its limits rho at 1 and epsilon at infinity.
   *
   * @param epsilon at least 0
   * @param order at least 1; may be infinite
   */
  public static double renyi(double epsilon, double order) {
    ArgumentChecks.notNegative("epsilon", epsilon);
    if (!(order >= 1)) {
      throw ArgumentChecks.refusal("order", order, "it must be at least 1");
    }
    if (epsilon == 0) {
      return 0;
    }
    double x = order - 1;
    double y = x * epsilon;
    if (x == 0) {
      return rho(epsilon);
    }
    if (y < 1) {
      // cosh(y + z) / cosh(z) = cosh(y) + tanh(z) sinh(y); this is that value minus 1.
      double half = StrictMath.sinh(y / 2);
      double growth = 2 * half * half + StrictMath.tanh(epsilon / 2) * StrictMath.sinh(y);
      return Math.min(epsilon, StrictMath.log1p(growth) / x);
    }
    double wrong = 1 / (1 + StrictMath.exp(epsilon));
    return epsilon + StrictMath.log1p(wrong * StrictMath.expm1(-2 * y)) / x;
  }

  /**
   * The least mu of Gaussian DP: 2 Phi^-1(exp(epsilon) / (1 + exp(epsilon))), rounded up by at most
   * a relative 1e-11, or an ulp.
   *
   * @param epsilon at least 0
   */
  public static double mu(double epsilon) {
    ArgumentChecks.notNegative("epsilon", epsilon);
    if (epsilon == 0 || epsilon == Double.POSITIVE_INFINITY) {
      return epsilon;
    }
    if (epsilon < SMALL) {
      return Math.nextUp(SQRT_HALF_PI * epsilon * (1 + 0x1p-42));
    }
    if (epsilon < 1) {
      // 2 Phi(mu / 2) - 1, the delta of mu at epsilon 0, is tanh(epsilon / 2).
      double log = StrictMath.log(StrictMath.tanh(epsilon / 2));
      return GaussianDp.mu(0, log) * (1 - 0x1p-41 * (log - 1));
    }
    // ln Phi(-mu / 2) = -epsilon - ln(1 + exp(-epsilon)), in x = mu / (2 sqrt(2)). It is concave,
    // so Newton's method decreases to the solution from any start above it.
    double wanted = epsilon + StrictMath.log1p(StrictMath.exp(-epsilon));
    double x = StrictMath.sqrt(wanted);
    while (true) {
      double mass = GaussianTail.mass(x);
      double next = x + mass * (wanted + StrictMath.log(mass) - LN_SQRT_PI - x * x);
      if (!(next < x * (1 - 0x1p-45))) {
        return 2 * SQRT_2 * x * (1 + 0x1p-42);
      }
      x = next;
    }
  }

  /**
   * Basic composition: the sum, rounded up.
   *
   * @param epsilons each at least 0, not modified
   */
  public static double basic(double... epsilons) {
    double sum = 0;
    for (int i = 0; i < epsilons.length; i++) {
      requireElement(epsilons, i);
      double next = sum + epsilons[i];
      // The exact rounding error of the sum.
      double virtual = next - sum;
      double lost = (sum - (next - virtual)) + (epsilons[i] - virtual);
      sum = lost > 0 ? Math.nextUp(next) : next;
    }
    return sum;
  }

  /**
   * Advanced composition of equal mechanisms [DRV10, Theorem III.3]: epsilon sqrt(2 k ln(1 /
   * delta)) + k epsilon (exp(epsilon) - 1). It is included as the well-known formula; {@link
   * #basic} and {@link #advanced(double[], double)} are often tighter, and {@link ExactComposition}
   * always is.
   *
   * @param epsilon at least 0
   * @param reports k, at least 0
   * @param logDelta natural logarithm of delta, at most 0
   */
  public static double advanced(double epsilon, long reports, double logDelta) {
    ArgumentChecks.notNegative("epsilon", epsilon);
    ArgumentChecks.notNegative("reports", reports);
    ArgumentChecks.logProbability("logDelta", logDelta);
    if (epsilon == 0 || reports == 0) {
      return 0;
    }
    if (epsilon == Double.POSITIVE_INFINITY) {
      return epsilon;
    }
    double spread = StrictMath.sqrt(2.0 * reports * -logDelta) * epsilon;
    return (spread + reports * epsilon * StrictMath.expm1(epsilon)) * (1 + RenyiDp.ROUNDING);
  }

  /**
   * Advanced composition of different mechanisms [KOV17, Theorem 3.5]: the least of the sum, and of
   * mean + sqrt(2 S l) for l = ln(1 / delta) and l = ln(e + sqrt(S) / delta), where the mean is the
   * sum of epsilon tanh(epsilon / 2) and S that of epsilon^2.
   *
   * @param epsilons each at least 0, not modified
   * @param logDelta natural logarithm of delta, at most 0
   */
  public static double advanced(double[] epsilons, double logDelta) {
    ArgumentChecks.logProbability("logDelta", logDelta);
    double basic = basic(epsilons);
    double mean = 0;
    double squares = 0;
    for (double epsilon : epsilons) {
      mean += rho(epsilon);
      squares += epsilon * epsilon;
    }
    if (squares == 0 || squares == Double.POSITIVE_INFINITY) {
      return basic;
    }
    double shifted = StrictMath.exp(0.5 * StrictMath.log(squares) - logDelta);
    double log = Math.min(-logDelta, StrictMath.log(Math.E + shifted));
    double advanced = mean + StrictMath.sqrt(2 * squares * log);
    return Math.min(basic, advanced * (1 + epsilons.length * 0x1p-51 + RenyiDp.ROUNDING));
  }

  private static void requireElement(double[] epsilons, int i) {
    if (!(epsilons[i] >= 0)) {
      throw new IllegalArgumentException(
          "epsilons[" + i + "] is " + epsilons[i] + "; it must be at least 0");
    }
  }
}
