package io.croupier.operators.learner;

import io.croupier.accounting.numerics.GaussLegendre;

/**
 * Folded integrals whose integrand is not smooth at v = 0 or v = 1: the 48-point rule on panels
 * that shrink geometrically towards both. Part of {@link Potential}, whose symbols and scaled units
 * it uses; values are relative to exp(E), where E is the exponent at the peak.
 *
 * <p>Each panel reaches down to an eighth of the end of the previous one (near 1: eight times as
 * far from 1). With the nearest singularity at that distance, the rule converges like 2.09^-96 =
 * 1.5e-31; the exponential is resolved because the window's ends are panel ends too.
 */
final class PanelQuadrature {
  private static final double SHRINKAGE = 8;

  /**
   * Both integrands vanish like v at 0, so the part below this fraction of the window is about
   * 2^-66.
   */
  private static final double FLOOR = 0x1p-33;

  /**
   * Beyond this exponent the excess is the integral over the window: 1 is negligible against
   * exp(600), and so is exp(-a v) in a window that begins beyond 2/3 of the peak.
   */
  static final double LOG_DOMAIN = 600;

  private PanelQuadrature() {}

  /**
   * Returns the integral of exp(a v - b v^2) / ln^2 v over the window; of both sides, times 1 -
   * exp(-2 a v).
   *
   * @param isSide whether it is the integral of one side alone
   */
  static double mass(
      double a,
      double b,
      double peak,
      double slope,
      double left,
      double right,
      double halfWidth,
      double logUnit,
      boolean isSide) {
    return window(
        isSide ? Integrand.SIDE : Integrand.BOTH_SIDES,
        a,
        b,
        peak,
        slope,
        left,
        right,
        halfWidth,
        logUnit,
        true);
  }

  /** What {@link #window} integrates. */
  private enum Integrand {
    SIDE,
    BOTH_SIDES,
    BOTH_SIDES_PER_FRACTION
  }

  /**
   * Returns the integral of 2 (exp(-b v^2) cosh(a v) - 1) / v over (0, C), divided by ln^2 v for a
   * logarithmic prior. cosh x - 1 = exp(x) (1 - exp(-x))^2 / 2 keeps both parts free of
   * cancellation.
   */
  static double excess(
      double a,
      double b,
      double peak,
      double slope,
      double left,
      double right,
      double exponent,
      double halfWidth,
      double logUnit,
      boolean logarithmic) {
    if (exponent > LOG_DOMAIN) {
      return window(
          Integrand.BOTH_SIDES_PER_FRACTION,
          a,
          b,
          peak,
          slope,
          left,
          right,
          halfWidth,
          logUnit,
          logarithmic);
    }
    double windowTop = peak + right;
    double windowBottom = peak - left;
    double bottom = FLOOR * Math.min(halfWidth, 1 / Math.max(a, Math.sqrt(b)));
    double atPeak = StrictMath.exp(-exponent);
    double sum = 0;
    for (double high = halfWidth; high > bottom; ) {
      double low = logarithmic ? nextEnd(high, logUnit) : high / SHRINKAGE;
      if (high > windowTop) {
        low = Math.max(low, windowTop);
      } else if (high > windowBottom) {
        low = Math.max(low, windowBottom);
      }
      double panel = 0;
      for (int i = 0; i < GaussLegendre.SIZE; i++) {
        double v = low + (high - low) * GaussLegendre.node(i);
        double offset = v - peak;
        double rise = Potential.oneMinusExp(a * v);
        double f =
            StrictMath.exp(offset * (slope - b * offset)) * rise * rise
                + 2 * atPeak * StrictMath.expm1(-b * v * v);
        panel += GaussLegendre.weight(i) * f / v * weight(v, logUnit, logarithmic);
      }
      sum += (high - low) * panel;
      high = low;
    }
    return sum;
  }

  /**
   * Integrates over the window alone, from its top downwards, with v as the distance from the top:
   * the exponent is exact even in a window that is narrow compared with its distance from 0.
   */
  private static double window(
      Integrand integrand,
      double a,
      double b,
      double peak,
      double slope,
      double left,
      double right,
      double halfWidth,
      double logUnit,
      boolean logarithmic) {
    double top = Math.min(peak + right, halfWidth);
    double width = Math.min(left + right, top * (1 - FLOOR));
    double sum = 0;
    for (double near = 0; near < width; ) {
      double high = top - near;
      double far = Math.min(near + (high - nextEnd(high, logUnit)), width);
      double panel = 0;
      for (int i = 0; i < GaussLegendre.SIZE; i++) {
        double distance = near + (far - near) * GaussLegendre.node(i);
        double offset = right - distance;
        double v = top - distance;
        double f = StrictMath.exp(offset * (slope - b * offset));
        if (integrand != Integrand.SIDE) {
          f *= Potential.oneMinusExp(2 * a * v);
        }
        panel +=
            GaussLegendre.weight(i)
                * (integrand == Integrand.BOTH_SIDES_PER_FRACTION ? f / v : f)
                * weight(v, logUnit, logarithmic);
      }
      sum += (far - near) * panel;
      near = far;
    }
    return sum;
  }

  /** Returns the factor of the prior besides 1 / v: 1, or 1 / ln^2 v. */
  private static double weight(double v, double logUnit, boolean logarithmic) {
    if (!logarithmic) {
      return 1;
    }
    double log = StrictMath.log(v) + logUnit;
    return 1 / (log * log);
  }

  /** Returns the next panel's end. Only if the unit is 1 can v come near the singularity at 1. */
  private static double nextEnd(double high, double logUnit) {
    double towardsZero = high / SHRINKAGE;
    return logUnit == 0 ? Math.max(towardsZero, 1 - SHRINKAGE * (1 - high)) : towardsZero;
  }
}
