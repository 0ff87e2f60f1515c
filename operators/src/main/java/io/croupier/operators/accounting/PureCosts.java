package io.croupier.operators.accounting;

import org.apache.commons.numbers.gamma.InverseErf;
import org.apache.commons.numbers.gamma.InverseErfc;

/**
 * What a pure epsilon is worth in other currencies, in units of 1e-12, rounded up. All are tight:
 * randomised response attains them, and every epsilon-private mechanism is a function of it [KOV15,
 * Theorem 3.4].
 *
 * <p>Each is evaluated with a relative error below 2^-44 and charged with 2^-40 more; a conversion
 * to long saturates. None allocates.
 */
final class PureCosts {
  private static final double ROUNDING = 1 + 0x1p-40;

  /** Beyond it, exp(epsilon) nears the end of a double's range. */
  private static final double LARGE = 700;

  private PureCosts() {}

  /** rho = epsilon tanh(epsilon / 2), where [BS16, Prop. 1.4] has epsilon^2 / 2. */
  static long rhoPicos(double epsilon) {
    // The relative error of the product is below 8 ulps = 2^-49.
    return (long) Math.ceil(epsilon * Math.tanh(epsilon / 2) * 1e12 * (1 + 0x1p-48));
  }

  /**
   * mu^2 of the least mu such that epsilon implies mu-GDP: mu = -2 Phi^-1(1 / (1 + e^epsilon))
   * [DRS22]. Below 8 epsilon, the limit for large ones, and convex: a sum of epsilons is worth at
   * least what its parts are.
   */
  static long muSquaredPicos(double epsilon) {
    return (long) Math.ceil(muSquared(epsilon) * 1e12 * ROUNDING);
  }

  private static double muSquared(double epsilon) {
    if (epsilon > LARGE) {
      return 8 * epsilon;
    }
    // 1 - 2 / (1 + e^epsilon) is tanh(epsilon / 2); each form keeps its digits on its side.
    double root =
        epsilon < 1
            ? InverseErf.value(Math.tanh(epsilon / 2))
            : InverseErfc.value(2 / (1 + Math.exp(epsilon)));
    return 8 * root * root;
  }

  /**
   * The Renyi divergence of order a: ln[cosh((a - 1/2) epsilon) / cosh(epsilon / 2)] / (a - 1), and
   * never more than epsilon.
   *
   * @param order at least 1.5
   */
  static long renyiPicos(double epsilon, double order) {
    double divergence = (logCosh((order - 0.5) * epsilon) - logCosh(0.5 * epsilon)) / (order - 1);
    // The logarithms err by 2^-52 of what they are large in, or of 1.
    double picos = Math.min(divergence + 0x1p-50, epsilon) * 1e12;
    return (long) Math.ceil(picos * ROUNDING);
  }

  private static double logCosh(double x) {
    return x < 0.5
        ? Math.log1p(2 * square(Math.sinh(0.5 * x)))
        : x + Math.log1p(Math.expm1(-2 * x) / 2);
  }

  private static double square(double x) {
    return x * x;
  }
}
