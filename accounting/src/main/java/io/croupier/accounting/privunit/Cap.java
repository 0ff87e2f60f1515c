package io.croupier.accounting.privunit;

import io.croupier.accounting.GaussianTail;

/**
 * The optimum over all candidates that there are, [BDFKR18]'s PrivUnit with the cap of least
 * variance: V on the cap &lt;v, u&gt; >= gamma with density exp(epsilon) / Z, elsewhere 1 / Z.
 *
 * <p>M(gamma) = Z / ((exp(epsilon) - 1) m(gamma)) with Z = 1 + (exp(epsilon) - 1) q(gamma) has its
 * only minimum where gamma = 1 / M, the root of the concave increasing function gamma Z -
 * (exp(epsilon) - 1) m(gamma), whose derivative is Z. So Newton's method from 0 is the iteration of
 * gamma = 1 / M(gamma) and rises to the root.
 */
final class Cap {
  private static final int MOST_STEPS = 100;

  private static final double ROOT_HALF = Math.sqrt(0.5);
  private static final double ROOT_PI = Math.sqrt(Math.PI);

  private Cap() {}

  /**
   * The least M on a sphere.
   *
   * @param odds exp(epsilon) - 1, positive
   */
  static double scale(Sphere sphere, double odds) {
    double gamma = 0;
    for (int i = 0; i < MOST_STEPS; i++) {
      double next = odds * sphere.firstMoment(gamma) / (1 + odds * sphere.tail(gamma));
      if (!(next > gamma * (1 + 0x1p-50))) {
        break;
      }
      gamma = next;
    }
    return 1 / gamma;
  }

  /**
   * Whether a scale is at most so many times the least M: gamma M(gamma) grows with gamma, and is 1
   * at the optimum, so one value of it decides.
   */
  static boolean isWithin(Sphere sphere, double odds, double scale, double factor) {
    double gamma = factor / scale;
    return gamma >= 1
        || gamma * (1 + odds * sphere.tail(gamma)) >= odds * sphere.firstMoment(gamma);
  }

  /**
   * A bound on the variance that a bet on the noise has to reckon with at the optimum of any
   * dimension D: the limit for large D, which these increase to. With kappa = 1 / gamma^2 [AFT22,
   * PrivUnitG] and Q the upper tail of the normal law, it is kappa plus the largest value over 0
   * &lt; b &lt;= range of
   *
   * <pre>
   *   2 / b^2 (b + ln((1 + odds Q(gamma + b / gamma)) / (1 + odds Q(gamma))))
   * </pre>
   */
  static double bettingVariance(double odds, double range) {
    double gamma = 0;
    for (int i = 0; i < MOST_STEPS; i++) {
      double next = odds * normalDensity(gamma) / (1 + odds * normalTail(gamma));
      if (!(next > gamma * (1 + 0x1p-50))) {
        break;
      }
      gamma = next;
    }
    double edge = gamma;
    double tail = normalTail(edge);
    double rest =
        Supremum.of(
            b -> {
              double lost = odds * (normalTail(edge + b / edge) - tail) / (1 + odds * tail);
              return 2 / (b * b) * (b + StrictMath.log1p(lost));
            },
            range);
    return 1 / (gamma * gamma) + rest;
  }

  private static double normalDensity(double x) {
    return StrictMath.exp(-x * x / 2) * ROOT_HALF / ROOT_PI;
  }

  private static double normalTail(double x) {
    return StrictMath.exp(-x * x / 2) * GaussianTail.mass(x * ROOT_HALF) / ROOT_PI;
  }
}
