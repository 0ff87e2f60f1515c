package io.croupier.accounting;

/**
 * rho, mu^2 and Renyi divergences of a pure loss, or of the worst one of an epsilon, by {@link
 * PureLoss}, in units of 1e-12, rounded up: each is too small by less than a relative 2^-48 and is
 * increased by 2^-47. Unless epsilon is 0, it is at least one unit. The conversion to long
 * saturates. No method allocates.
 */
public final class PureCosts {
  private static final double UNITS = 1e12 * (1 + 0x1p-47);

  private PureCosts() {}

  /** {@link PureLoss#rho}. */
  public static long rhoPicos(PureLoss loss) {
    return up(loss.epsilon(), loss.rho());
  }

  /** {@link PureDp#rho}, instead of epsilon^2 / 2 of [BS16, Prop. 1.4]. */
  public static long rhoPicos(double epsilon) {
    return rhoPicos(PureLoss.ofEpsilon(epsilon));
  }

  /** The square of {@link PureLoss#mu}. */
  public static long muSquaredPicos(PureLoss loss) {
    double mu = loss.mu();
    return up(loss.epsilon(), mu * mu);
  }

  /**
   * The square of {@link PureDp#mu}. It is below 8 epsilon, its limit for large epsilon, and
   * convex: its value at a sum of epsilons is at least the sum of its values.
   */
  public static long muSquaredPicos(double epsilon) {
    return muSquaredPicos(PureLoss.ofEpsilon(epsilon));
  }

  /** {@link PureLoss#renyi}. */
  public static long renyiPicos(PureLoss loss, double order) {
    return up(loss.epsilon(), loss.renyi(order));
  }

  /** {@link PureDp#renyi}. */
  public static long renyiPicos(double epsilon, double order) {
    return renyiPicos(PureLoss.ofEpsilon(epsilon), order);
  }

  /**
   * Rounds up; at least one unit for a positive epsilon, even if {@code worth} underflowed to 0.
   */
  private static long up(double epsilon, double worth) {
    return epsilon > 0 ? Math.max(1, (long) Math.ceil(worth * UNITS)) : 0;
  }
}
