package io.croupier.accounting;

/**
 * Bounds on the Renyi divergence of a mechanism at fixed orders from 1.01 to 65536, and at order
 * infinity [Mir17]. Curves add up, chosen adaptively or not.
 *
 * <p>Immutable.
 */
public final class RenyiCurve {
  /** The orders; the last is infinite, which is pure DP. */
  private static final double[] ORDERS = {
    1.01,
    1.05,
    1.1,
    1.2,
    1.3,
    1.5,
    1.75,
    2,
    2.5,
    3,
    3.5,
    4,
    4.5,
    5,
    6,
    7,
    8,
    9,
    10,
    12,
    14,
    16,
    20,
    24,
    28,
    32,
    40,
    48,
    56,
    64,
    80,
    96,
    128,
    192,
    256,
    384,
    512,
    768,
    1024,
    2048,
    4096,
    16384,
    65536,
    Double.POSITIVE_INFINITY,
  };

  /** The curve of a mechanism that reveals nothing. */
  public static final RenyiCurve ZERO = new RenyiCurve(new double[ORDERS.length]);

  private final double[] divergences;

  private RenyiCurve(double[] divergences) {
    this.divergences = divergences;
  }

  /** Number of orders, including the infinite one. */
  public static int size() {
    return ORDERS.length;
  }

  /** An order; they increase in i from 0 to {@link #size} - 1. */
  public static double order(int i) {
    return ORDERS[i];
  }

  /**
   * The curve of several pure mechanisms of equal loss: {@link PureLoss#renyi} times their number.
   *
   * @param reports at least 0
   */
  public static RenyiCurve ofPure(PureLoss loss, long reports) {
    ArgumentChecks.notNegative("reports", reports);
    if (reports == 0) {
      return ZERO;
    }
    double[] divergences = new double[ORDERS.length];
    for (int i = 0; i < divergences.length; i++) {
      divergences[i] = loss.renyi(ORDERS[i]) * reports;
    }
    return new RenyiCurve(divergences);
  }

  /**
   * The curve of a rho-zCDP mechanism: rho times the order. A mu-GDP mechanism has rho = mu^2 / 2.
   *
   * @param rho at least 0
   */
  public static RenyiCurve ofRho(double rho) {
    ArgumentChecks.notNegative("rho", rho);
    if (rho == 0) {
      return ZERO;
    }
    double[] divergences = new double[ORDERS.length];
    for (int i = 0; i < divergences.length; i++) {
      divergences[i] = rho * ORDERS[i];
    }
    return new RenyiCurve(divergences);
  }

  /** The curve of two mechanisms together, rounded up. */
  public RenyiCurve plus(RenyiCurve other) {
    double[] sum = new double[ORDERS.length];
    for (int i = 0; i < sum.length; i++) {
      double total = divergences[i] + other.divergences[i];
      boolean exact = divergences[i] == 0 || other.divergences[i] == 0;
      sum[i] = exact ? total : Math.nextUp(total);
    }
    return new RenyiCurve(sum);
  }

  /**
   * The finite order with the least epsilon at delta.
   *
   * @param logDelta natural logarithm of delta, at most 0
   */
  double bestOrder(double logDelta) {
    double best = ORDERS[0];
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i + 1 < ORDERS.length; i++) {
      double epsilon = RenyiDp.epsilon(ORDERS[i], divergences[i], logDelta);
      if (epsilon < least) {
        least = epsilon;
        best = ORDERS[i];
      }
    }
    return best;
  }

  /**
   * The least epsilon at delta over all orders, rounded up.
   *
   * @param logDelta natural logarithm of delta, at most 0
   */
  public double epsilon(double logDelta) {
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < ORDERS.length; i++) {
      least = Math.min(least, RenyiDp.epsilon(ORDERS[i], divergences[i], logDelta));
    }
    return least;
  }
}
