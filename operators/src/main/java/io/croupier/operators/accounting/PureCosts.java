package io.croupier.operators.accounting;

import io.croupier.accounting.PureDp;

/**
 * What a pure epsilon is worth in other currencies, by {@link PureDp}, in units of 1e-12, rounded
 * up: each has an error below a relative 2^-48 and is charged with 2^-47 more, and unless epsilon
 * is 0 with a unit at least. A conversion to long saturates. None allocates.
 */
final class PureCosts {
  private static final double UNITS = 1e12 * (1 + 0x1p-47);

  private PureCosts() {}

  /** {@link PureDp#rho}, where [BS16, Prop. 1.4] has epsilon^2 / 2. */
  static long rhoPicos(double epsilon) {
    return up(epsilon, PureDp.rho(epsilon));
  }

  /**
   * The square of {@link PureDp#mu}. Below 8 epsilon, the limit for large ones, and convex: a sum
   * of epsilons is worth at least what its parts are.
   */
  static long muSquaredPicos(double epsilon) {
    double mu = PureDp.mu(epsilon);
    return up(epsilon, mu * mu);
  }

  /** {@link PureDp#renyi}. */
  static long renyiPicos(double epsilon, double order) {
    return up(epsilon, PureDp.renyi(epsilon, order));
  }

  /** Of a positive epsilon, also one so small that its worth came out as 0. */
  private static long up(double epsilon, double worth) {
    return epsilon > 0 ? Math.max(1, (long) Math.ceil(worth * UNITS)) : 0;
  }
}
