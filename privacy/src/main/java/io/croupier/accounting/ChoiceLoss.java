package io.croupier.accounting;

/**
 * The privacy loss of a choice of one candidate of several, of which each input favours K: these
 * are exp(epsilon) times as probable as the N - K others. On its worst pair of inputs, which favour
 * disjoint candidates (docs/reference/priv-unit.md), the loss is epsilon with probability p,
 * -epsilon with probability q, and 0 otherwise; with r = (N - K) / K,
 *
 * <pre>
 *   p = 1 / (1 + r exp(-epsilon)),  q = p exp(-epsilon)
 * </pre>
 *
 * <p>r = 1 is randomised response, the worst loss that an epsilon allows, see {@link PureDp}. The
 * conversions are tight.
 *
 * @param epsilon in nats, at least 0
 * @param others r, from 1 to 1e6
 */
public record ChoiceLoss(double epsilon, double others) implements PureLoss {
  private static final double MOST_OTHERS = 1e6;

  /** Below it, the formula for the least p would cancel. */
  private static final double SMALL = 0.01;

  /** An epsilon from which the mean of the loss is a rho for every r. */
  private static final double ENOUGH = 32;

  /** From this (a - 1) epsilon on, epsilon is less than twice the divergence: ln r is below 14. */
  private static final double NO_CANCELLATION = 30;

  private static final int HALVINGS = 60;

  private static final double SQRT_2 = 1.4142135623730951;
  private static final double SQRT_2_PI = 2.5066282746310002;
  private static final double LN_SQRT_PI = 0.5723649429247001;

  /** More than the error of a quantile, relative to the larger one of itself and 1. */
  private static final double QUANTILE_ERROR = 0x1p-44;

  /** More than the relative errors of densities and of p - q. */
  private static final double UP = 1 + 0x1p-40;

  /**
   * @throws IllegalArgumentException if a parameter is out of range
   */
  public ChoiceLoss {
    ArgumentChecks.notNegative("epsilon", epsilon);
    if (!(others >= 1 && others <= MOST_OTHERS)) {
      throw ArgumentChecks.refusal("others", others, "it must be from 1 to 1e6");
    }
  }

  @Override
  public PureLoss at(double other) {
    return new ChoiceLoss(other, others);
  }

  @Override
  public boolean isResponse() {
    return others == 1;
  }

  private double likely() {
    return 1 / (1 + others * StrictMath.exp(-epsilon));
  }

  /** Adds the distribution of the loss. */
  void addTo(LossGrid grid) {
    double likely = likely();
    double odds = StrictMath.exp(-epsilon);
    grid.add(epsilon, likely);
    grid.add(-epsilon, likely * odds);
    grid.add(0, likely * (others - 1) * odds);
  }

  /** p - q, without cancellation. */
  private double excess() {
    return -likely() * StrictMath.expm1(-epsilon);
  }

  private double mean() {
    return epsilon * excess();
  }

  /**
   * A rho of zero-concentrated DP: epsilon (p - q), the mean of the loss, where p is so large that
   * the divergence of an order a over a is largest as a tends to 1. With a smaller p it is the rho
   * of randomised response, or the mean at the least larger epsilon where the mean is a rho,
   * whichever is less: at the same r, a larger epsilon loses more. Relative error at most 1e-14.
   */
  @Override
  public double rho() {
    if (isResponse()) {
      return PureDp.rho(epsilon);
    }
    return meanIsRho() ? mean() : Math.min(PureDp.rho(epsilon), leastMean());
  }

  /** The mean at the least epsilon from which it is a rho. */
  private double leastMean() {
    double low = 0;
    double high = ENOUGH;
    for (int i = 0; i < HALVINGS; i++) {
      double middle = (low + high) / 2;
      boolean enough = new ChoiceLoss(middle, others).meanIsRho();
      low = enough ? low : middle;
      high = enough ? middle : high;
    }
    return new ChoiceLoss(high, others).mean();
  }

  /**
   * Whether p is large enough for the mean of the loss to be a rho: with smaller ones, the variance
   * of the loss is more than twice its mean, and divergences first grow faster than their order.
   */
  private boolean meanIsRho() {
    if (epsilon >= ENOUGH) {
      return true; // the margin below would exceed what is left of p
    }
    if (epsilon < SMALL) {
      return likely() >= 1.0 / 6 + epsilon / 8; // the series is 1 / 6 + epsilon / 12 + ...
    }
    double rise = -StrictMath.expm1(-epsilon);
    return likely() >= (2 - rise - 2 * rise / epsilon) / (rise * rise) * (1 + 1e-9);
  }

  /**
   * The Renyi divergence at an order a: ln(1 + (p - q) (exp(y) - 1) + 4 q sinh(y / 2)^2) / (a - 1)
   * with y = (a - 1) epsilon; its limits are epsilon (p - q) at 1 and epsilon at infinity. Not
   * rounded up; relative error at most 1e-14.
   *
   * @param order at least 1; may be infinite
   */
  @Override
  public double renyi(double order) {
    if (isResponse()) {
      return PureDp.renyi(epsilon, order);
    }
    if (!(order >= 1)) {
      throw ArgumentChecks.refusal("order", order, "it must be at least 1");
    }
    double x = order - 1;
    double y = x * epsilon;
    if (x == 0) {
      return mean();
    }
    if (x == Double.POSITIVE_INFINITY) {
      return epsilon;
    }
    double likely = likely();
    double unlikely = likely * StrictMath.exp(-epsilon);
    if (y < NO_CANCELLATION) {
      double half = StrictMath.sinh(y / 2);
      double growth = excess() * StrictMath.expm1(y) + 4 * unlikely * half * half;
      return Math.min(epsilon, StrictMath.log1p(growth) / x);
    }
    double odds = StrictMath.exp(-y);
    double rest = (others - 1) * unlikely;
    return epsilon + StrictMath.log(likely + odds * (rest + odds * unlikely)) / x;
  }

  /**
   * The least mu of Gaussian DP: Phi^-1(p) - Phi^-1(q). The trade-off function is linear between
   * (0, 1), (q, 1 - p), (1 - p, q) and (1, 0); the convex one of this mu contains all four points,
   * so it is nowhere above. Rounded up: by at most 1e-13 times the larger of 1 and -Phi^-1(q), or
   * by a relative 40 epsilon, whichever is less, beside a relative 1e-12.
   */
  @Override
  public double mu() {
    double odds = StrictMath.exp(-epsilon);
    if (isResponse() || odds == 0) {
      return PureDp.mu(epsilon);
    }
    // ln p and ln q
    double log = -StrictMath.log1p(others * odds);
    double low = quantile(epsilon - log);
    double high =
        others * odds >= 1 ? quantile(-log) : -quantile(epsilon - StrictMath.log(others) - log);
    double difference = low - high + QUANTILE_ERROR * Math.max(1, low);
    // The mean value theorem: the density is least at one of the ends.
    double farthest = Math.max(low, Math.abs(high)) * UP;
    double density = StrictMath.exp(-farthest * farthest / 2) / SQRT_2_PI;
    return Math.min(difference, excess() / density * UP) * (1 + 0x1p-45);
  }

  /** Returns the z of at least 0 with ln Phi(-z) = -wanted, for wanted of at least ln 2. */
  private static double quantile(double wanted) {
    // Concave in x = z / sqrt(2): Newton's method decreases to the solution from any start above.
    double x = StrictMath.sqrt(wanted);
    for (int i = 0; i < 64; i++) {
      double mass = GaussianTail.mass(x);
      double next = x + mass * (wanted + StrictMath.log(mass) - LN_SQRT_PI - x * x);
      if (!(next < x)) {
        break;
      }
      x = next;
    }
    return SQRT_2 * Math.max(0, x);
  }
}
