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

  private static void requireElement(double[] epsilons, int i) {
    if (!(epsilons[i] >= 0)) {
      throw new IllegalArgumentException(
          "epsilons[" + i + "] is " + epsilons[i] + "; it must be at least 0");
    }
  }
}
