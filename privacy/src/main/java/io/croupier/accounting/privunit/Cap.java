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

  /**
   * A bet of so many scales needs as much as smaller ones, of which rounding would leave nothing.
   */
  private static final double LEAST_BET = 0x1p-16;

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
   * By how much the variance that a bet has to reckon with exceeds M^2 / D, in the limit of large
   * dimensions: the largest value over 0 &lt; b &lt;= range of
   *
   * <pre>
   *   2 / b^2 (b + ln((1 + odds Q(gamma + b M)) / (1 + odds Q(gamma))))
   * </pre>
   *
   * where Q is the upper tail of the normal law, Q(gamma) the share of candidates in the cap and M
   * its scale in that limit, (1 + odds Q(gamma)) / (odds phi(gamma)) [AFT22, PrivUnitG].
   *
   * @param share of candidates in the cap, positive, at most 1/2
   */
  static double bettingExcess(double odds, double share, double range) {
    double gamma = 0;
    // Newton's method on a convex function, from where it is too large.
    for (int i = 0; i < MOST_STEPS; i++) {
      double step = (normalTail(gamma) - share) / normalDensity(gamma);
      if (!(step > gamma * 0x1p-40)) {
        break;
      }
      gamma += step;
    }
    double edge = gamma;
    double tail = normalTail(edge);
    double scale = (1 + odds * tail) / (odds * normalDensity(edge));
    double least = LEAST_BET / scale;
    return Supremum.of(
        smallest -> {
          double b = Math.max(smallest, least);
          double lost = odds * (normalTail(edge + b * scale) - tail) / (1 + odds * tail);
          return 2 / (b * b) * (b + StrictMath.log1p(lost));
        },
        range);
  }

  private static double normalDensity(double x) {
    return StrictMath.exp(-x * x / 2) * ROOT_HALF / ROOT_PI;
  }

  private static double normalTail(double x) {
    return StrictMath.exp(-x * x / 2) * GaussianTail.mass(x * ROOT_HALF) / ROOT_PI;
  }
}
