package io.croupier.accounting;

import java.math.BigDecimal;

/**
 * Gaussian differential privacy: exact conversions between mu and (epsilon, delta).
 *
 * <p>A mechanism is mu-GDP if no test distinguishes two neighbouring inputs better than N(0, 1) can
 * be distinguished from N(mu, 1) [DRS22]. It is then (epsilon, delta)-DP for all pairs on the curve
 * [BW18, Theorem 8], [DRS22, Corollary 1]
 *
 * <pre>
 *   delta(epsilon; mu) = Phi(-a) - exp(epsilon) Phi(-a - mu),    a = epsilon / mu - mu / 2,
 *                      = exp(-A^2) / sqrt(pi) (mass(A) - mass(A + mu / sqrt(2))),    A = a / sqrt(2)
 * </pre>
 *
 * <p>with the mass of {@link GaussianTail}, and in general for no pair below the curve. A Gaussian
 * mechanism of standard deviation s and L2 sensitivity D is mu-GDP for mu = D / s; the caller
 * defines the neighbouring relation.
 *
 * <p>Delta is represented by its natural logarithm, and may be far below the smallest double.
 *
 * <p>Limits: mu = 0 is perfect privacy, delta = max(0, 1 - exp(epsilon)); an infinite mu means no
 * privacy, delta = 1; an infinite epsilon means no guarantee, with delta = 0. No result is NaN. All
 * functions use {@link StrictMath}, so results have the same bits on every platform. None
 * allocates.
 */
public final class GaussianDp {
  /** Bound on the relative error of {@link #logDelta}. */
  static final double LOG_ERROR = 0x1p-46;

  /**
   * Solutions have a log delta between these multiples of the requested one, so delta is certainly
   * below it.
   */
  private static final double LEAST_MARGIN = 1 + 2 * LOG_ERROR;

  private static final double MARGIN = 1 + 8 * LOG_ERROR;
  private static final double LARGEST_MARGIN = 1 + 16 * LOG_ERROR;

  private static final double SQRT_HALF = 0.7071067811865476;
  private static final double LN_2 = 0.6931471805599453;
  private static final double LN_SQRT_PI = 0.5723649429247;
  private static final double SQRT_PI = 1.772453850905516;
  private static final double LN_SQRT_2_PI = 0.9189385332046728;

  /** Largest width for which {@link GaussianTail#massWithin} accepts a negative distance. */
  private static final double NARROW = 0.125;

  /**
   * Number of steps after which a solver bisects its bracket, in case Newton's method converges
   * slowly.
   */
  private static final int PATIENCE = 40;

  private GaussianDp() {}

  /**
   * The natural logarithm of the least delta for which mu-GDP implies (epsilon, delta)-DP.
   *
   * <p>Relative error at most 2^-46 for delta up to 1 - 1e-6; beyond, 2^-46 (1 + a^2 / 32). A
   * logarithm below the range of doubles is returned as the lowest finite double: the result is
   * infinite only where delta is 0, for mu = 0 or an infinite epsilon.
   *
   * @param epsilon in nats; may be negative or infinite
   * @param mu at least 0; may be infinite
   */
  public static double logDelta(double epsilon, double mu) {
    ArgumentChecks.number("epsilon", epsilon);
    ArgumentChecks.notNegative("mu", mu);
    if (epsilon < 0) {
      return mirrored(epsilon, mu);
    }
    if (mu == Double.POSITIVE_INFINITY) {
      return 0;
    }
    if (mu == 0 || epsilon == Double.POSITIVE_INFINITY) {
      return Double.NEGATIVE_INFINITY;
    }
    double near = near(epsilon, mu);
    double width = mu * SQRT_HALF;
    if (near < 0 && width > NARROW) {
      double beyond = GaussianTail.mass(-near) + GaussianTail.mass(far(epsilon, mu));
      return StrictMath.log1p(-StrictMath.exp(-near * near) * beyond / SQRT_PI) + 0.0;
    }
    double logBetween = logBetween(near, width);
    return Math.max(logBetween - near * near - LN_SQRT_PI, -Double.MAX_VALUE);
  }

  /** delta(epsilon) = 1 - exp(epsilon) (1 - delta(-epsilon)), in the form that loses no digits. */
  private static double mirrored(double epsilon, double mu) {
    double mirror = logDelta(-epsilon, mu);
    double e = StrictMath.exp(epsilon);
    double missing = -e * StrictMath.expm1(mirror);
    return missing < 0.5
        ? StrictMath.log1p(-missing) + 0.0
        : StrictMath.log(-StrictMath.expm1(epsilon) + e * StrictMath.exp(mirror));
  }

  /** A, with a single rounding of epsilon - mu^2 / 2. */
  private static double near(double epsilon, double mu) {
    return Math.fma(-0.5 * mu, mu, epsilon) / mu * SQRT_HALF;
  }

  private static double far(double epsilon, double mu) {
    return Math.fma(0.5 * mu, mu, epsilon) / mu * SQRT_HALF;
  }

  private static double logBetween(double near, double width) {
    double between = GaussianTail.massWithin(near, width);
    if (between >= Double.MIN_NORMAL) {
      return StrictMath.log(between);
    }
    // The width is so small that the mass is linear in it.
    return StrictMath.log(2 * GaussianTail.moment(Math.max(near, 0))) + StrictMath.log(width);
  }

  /**
   * The least epsilon of at least 0 for which mu-GDP implies (epsilon, delta)-DP, rounded up: never
   * below the true one for delta up to 1 - 1e-6, and above it at most by the amount that changes
   * the logarithm of delta by a factor of 1 + 2^-41 (or epsilon by an ulp).
   *
   * <p>About five evaluations of {@link #logDelta}.
   *
   * @param mu at least 0; may be infinite, then so is epsilon unless delta is 1
   * @param logDelta natural logarithm of delta, at most 0; negative infinity requests pure DP, for
   *     which epsilon is infinite unless mu is 0
   */
  public static double epsilon(double mu, double logDelta) {
    ArgumentChecks.notNegative("mu", mu);
    ArgumentChecks.logProbability("logDelta", logDelta);
    if (mu == 0 || logDelta == 0) {
      return 0;
    }
    double target = MARGIN * logDelta;
    double least = LARGEST_MARGIN * logDelta;
    double most = LEAST_MARGIN * logDelta;
    if (logDelta(0, mu) <= most) {
      return 0;
    }
    // delta <= Phi(-a) <= exp(-a^2 / 2) / 2, so this value is an upper bound.
    double reach = StrictMath.sqrt(-2 * target);
    double high = mu * (reach + mu / 2);
    double low = 0;
    double x = Math.max(0, Math.min(high, mu * (closer(reach, mu) + mu / 2)));
    if (!(high <= Double.MAX_VALUE)) {
      return Double.POSITIVE_INFINITY;
    }
    for (int i = 0; ; i++) {
      double log = logDelta(x, mu);
      if (log > most) {
        low = x;
      } else {
        high = x;
        if (log >= least) {
          return x;
        }
      }
      double near = near(x, mu);
      double slope =
          -GaussianTail.mass(far(x, mu)) * StrictMath.exp(-near * near - LN_SQRT_PI - log);
      x += change(log, target, slope);
      if (!(x > low && x < high) || i > PATIENCE) {
        x = low + (high - low) / 2;
        if (!(x > low && x < high)) {
          return high;
        }
      }
    }
  }

  /**
   * A rough solution in a, from one step with R(x), the Mills ratio, at about 2 / (x + sqrt(x^2 + 8
   * / pi)).
   */
  private static double closer(double reach, double mu) {
    double far = reach + mu;
    double fall = roughMillsRatio(reach) - roughMillsRatio(far);
    double square = reach * reach + 2 * (StrictMath.log(fall) - LN_SQRT_2_PI);
    return square > 0 ? StrictMath.sqrt(square) : 0;
  }

  private static double roughMillsRatio(double x) {
    return 2 / (x + StrictMath.sqrt(x * x + 2.5464790894703255));
  }

  /**
   * The largest mu for which mu-GDP implies (epsilon, delta)-DP, rounded down: never above the true
   * one for delta up to 1 - 1e-6, and below it at most by the amount that changes the logarithm of
   * delta by a factor of 1 + 2^-41 (or mu by an ulp).
   *
   * @param epsilon in nats, at least 0; may be infinite, then so is mu
   * @param logDelta natural logarithm of delta, at most 0; 0 allows every mu, negative infinity
   *     none but 0
   */
  public static double mu(double epsilon, double logDelta) {
    ArgumentChecks.notNegative("epsilon", epsilon);
    ArgumentChecks.logProbability("logDelta", logDelta);
    if (epsilon == Double.POSITIVE_INFINITY || logDelta == 0) {
      return Double.POSITIVE_INFINITY;
    }
    double target = Math.max(MARGIN * logDelta, -Double.MAX_VALUE);
    double least = LARGEST_MARGIN * logDelta;
    double most = LEAST_MARGIN * logDelta;
    if (logDelta == Double.NEGATIVE_INFINITY) {
      return 0;
    }
    // A lower bound, since delta <= exp(-a^2 / 2) / 2, and delta <= delta(0) <= mu / sqrt(2 pi).
    double reach = StrictMath.sqrt(-2 * target);
    double low =
        Math.max(
            2 * (epsilon / (reach + StrictMath.sqrt(reach * reach + 2 * epsilon))),
            StrictMath.exp(target + LN_SQRT_2_PI));
    double high = Double.POSITIVE_INFINITY;
    double x = Math.max(low, Double.MIN_VALUE);
    for (int i = 0; ; i++) {
      double log = logDelta(epsilon, x);
      if (log > most) {
        high = x;
      } else {
        low = x;
        if (log >= least) {
          return x;
        }
      }
      double near = near(epsilon, x);
      double slope = x * StrictMath.exp(-near * near - LN_SQRT_2_PI - log);
      x *= StrictMath.exp(Math.min(1, change(log, target, slope)));
      if (!(x > low && x < high) || i > PATIENCE) {
        x = high == Double.POSITIVE_INFINITY ? 2 * low : low + (high - low) / 2;
        if (!(x > low && x < high)) {
          return low;
        }
      }
    }
  }

  /**
   * Newton's step towards a requested log delta, in a scale on which a Gaussian tail is nearly
   * linear: sqrt(-2 log delta) where delta is small, log(-log delta) near 1.
   */
  private static double change(double log, double target, double slope) {
    if (target > -LN_2) {
      return StrictMath.log(target / log) * (log / slope);
    }
    double here = StrictMath.sqrt(-2 * log);
    return (here - StrictMath.sqrt(-2 * target)) * (here / slope);
  }

  /**
   * The smallest noise multiplier that keeps (epsilon, delta): sqrt(zeta) / {@link #mu}, rounded
   * up. There is no closed form; those in use promise too much at large epsilons, and waste budget
   * at small ones.
   *
   * @param epsilon in nats, at least 0; may be infinite, then no noise is needed
   * @param logDelta natural logarithm of delta, at most 0
   * @param zeta squared L2 sensitivity in units of the squared clipping norm, at least 0, finite;
   *     of the neighbouring relation that the promise is about
   * @return deviation of the noise in units of the clipping norm; infinite if nothing suffices
   */
  public static double noiseMultiplier(double epsilon, double logDelta, double zeta) {
    if (!(zeta >= 0 && zeta <= Double.MAX_VALUE)) {
      throw ArgumentChecks.refusal("zeta", zeta, "it must be at least 0 and finite");
    }
    double mu = mu(epsilon, logDelta);
    if (zeta == 0 || mu == Double.POSITIVE_INFINITY) {
      return 0;
    }
    return Math.nextUp(Math.nextUp(StrictMath.sqrt(zeta)) / mu);
  }

  /**
   * sqrt(zeta) / divisor, rounded up to the next double: exact where the quotient is a double. It
   * computes mu from a squared sensitivity and a noise multiplier, or the multiplier from mu.
   *
   * @param zeta at least 0, finite
   * @param divisor positive and finite
   */
  public static double rootQuotient(double zeta, double divisor) {
    if (!(zeta >= 0 && zeta <= Double.MAX_VALUE)) {
      throw ArgumentChecks.refusal("zeta", zeta, "it must be at least 0 and finite");
    }
    if (!(divisor > 0 && divisor <= Double.MAX_VALUE)) {
      throw ArgumentChecks.refusal("divisor", divisor, "it must be positive and finite");
    }
    double quotient = Math.sqrt(zeta) / divisor;
    for (int i = 0; i < 3 && quotient > 0; i++) {
      quotient = Math.nextDown(quotient);
    }
    BigDecimal square = new BigDecimal(zeta);
    BigDecimal exactDivisor = new BigDecimal(divisor);
    while (quotient < Double.POSITIVE_INFINITY
        && new BigDecimal(quotient).multiply(exactDivisor).pow(2).compareTo(square) < 0) {
      quotient = Math.nextUp(quotient);
    }
    return quotient;
  }

  /**
   * The mu of several mechanisms together, chosen adaptively or not: the root of the sum of squares
   * [DRS22, Corollary 2], rounded up by less than two ulps. Neither the squares nor their sum
   * overflow or underflow.
   *
   * @param mus each at least 0, not modified; the result for none is 0
   */
  public static double compose(double... mus) {
    double largest = 0;
    for (int i = 0; i < mus.length; i++) {
      if (!(mus[i] >= 0)) {
        throw new IllegalArgumentException(
            "mus[" + i + "] is " + mus[i] + "; it must be at least 0");
      }
      largest = Math.max(largest, mus[i]);
    }
    if (largest == 0 || largest == Double.POSITIVE_INFINITY) {
      return largest;
    }
    int exponent = Math.getExponent(largest);
    double sum = 0;
    double rest = 0;
    for (double mu : mus) {
      // At least 2^-500, so that the square's rounding error is a double, too.
      double scaled = mu == 0 ? 0 : Math.max(Math.scalb(mu, -exponent), 0x1p-500);
      double square = scaled * scaled;
      double total = sum + square;
      double added = total - sum;
      rest += (sum - (total - added)) + (square - added) + Math.fma(scaled, scaled, -square);
      sum = total;
    }
    double root = Math.sqrt(sum + rest);
    boolean enough = Math.fma(root, root, -sum) >= rest;
    double scaledRoot = enough ? root : Math.nextUp(root);
    double mu = Math.scalb(scaledRoot, exponent);
    return Math.scalb(mu, -exponent) < scaledRoot ? Math.nextUp(mu) : mu;
  }
}
