package io.croupier.operators.learner;

import io.croupier.accounting.numerics.GaussLegendre;
import java.io.Serializable;

/**
 * The wealth that a one-dimensional coin bettor guarantees, and the bet that guarantees it.
 *
 * <p>With L the sum of the coins (negated subgradients), V their accumulated variance and P a prior
 * on betting fractions v in [-C, C]:
 *
 * <pre>
 *   prediction  w = E_P[v exp(v L - v^2 V)]
 *   potential   F = E_P[exp(v L - v^2 V)]
 * </pre>
 *
 * <p>Source: [vdH19, Algorithm 1] and, with the uniform prior, [JO19, Algorithm 1]. The closed
 * forms are not used as both papers print them: formula (7) of [vdH19] has its sign reversed and
 * lacks a factor sqrt(b / pi), and even the corrected formula yields NaN, infinity or wrong values
 * in floating-point arithmetic over most of the range that a long stream visits.
 *
 * <p>Method: the exponent at the peak of the integrand, E, factors out; it is kept as a sum of two
 * doubles ({@link Peak}). The remaining factor of the prediction under the conjugate, uniform and
 * improper priors is a {@link ClosedForm} in well-conditioned pieces.
 *
 * <p>Everything else is integrated: the prediction where the closed forms don't cover |L| C and V
 * C^2 (beyond 2^200, or V C^2 below 2^-200), both logarithms, and all quantities under the prior 1
 * / (|v| ln^2 |v|). The integral is folded onto v > 0, where exp(vL) - exp(-vL) = exp(v|L|) (1 -
 * exp(-2v|L|)) makes the integrand positive, so that nothing cancels; restricted to the window
 * around its peak outside of which the exponent has fallen by 42; v is counted from the peak, so
 * that the exponent is exact; then one 48-point Gauss-Legendre rule applies. The prior 1 / (|v|
 * ln^2 |v|) and the potential of 1 / |v| are not smooth at 0: they use {@link PanelQuadrature}.
 *
 * <p>Accuracy: relative error of w at most 1e-13 (cv: 1e-12), measured 6e-15 for the closed forms
 * and 2e-15 for the rule; of a logarithm 1e-13 max(1, |log|).
 *
 * <p>Domain: L any number but NaN, V >= 0. |L| C is limited to 2^500 and V C^2 to 2^1000, so that
 * only the result itself can overflow, and NaN never occurs. The prediction is exactly odd in L.
 *
 * <p>Immutable. A prediction takes two to four exponentials, 48 where it is integrated, and about a
 * thousand for cv; it allocates nothing.
 */
public final class Potential implements Serializable {
  /** exp(-42) is 5.7e-19: the integral outside of the window is below rounding. */
  private static final double WINDOW_DEPTH = 42;

  /** Half-widths that keep every intermediate result in range. */
  private static final double LARGEST_HALF_WIDTH = 0x1p400;

  private static final double LARGEST_COINS = 0x1p500;
  private static final double LARGEST_VARIANCE = 0x1p1000;

  private final Prior prior;
  private final double halfWidth;

  /** The mass of the prior over [-C, C]. */
  private final double mass;

  /** The conjugate prior adds b to V; the others add nothing. */
  private final double offset;

  /** A factor of a folded integrand; x = 2 |L| v. */
  interface Factor {
    double factor(double v, double x);
  }

  /** The factor of the mass: 1 + exp(-x). */
  private static final Factor MASS = (v, x) -> x > 40 ? 1 : 1 + StrictMath.exp(-x);

  /** The factors of a side, of priors with a pole and without. */
  private static final Factor SIDE_OF_POLE = (v, x) -> 1;

  private static final Factor SIDE = (v, x) -> v;

  /** What is integrated. */
  enum Quantity {
    PREDICTION,
    SIDE,
    LOG_PREDICTION,
    LOG_POTENTIAL
  }

  /**
   * Creates a potential.
   *
   * @param prior the density over betting fractions
   * @param halfWidth C, between 2^-400 and 2^400; below 1 for {@link Prior.Cv}
   * @throws IllegalArgumentException if C is outside of its domain
   */
  public Potential(Prior prior, double halfWidth) {
    if (!(halfWidth >= 1 / LARGEST_HALF_WIDTH && halfWidth <= LARGEST_HALF_WIDTH)) {
      throw new IllegalArgumentException(
          "half-width C of the betting fractions, which follows from gradient_bound, is "
              + halfWidth
              + "; it has to be 2^-400 to 2^400");
    }
    prior.checkHalfWidth(halfWidth);
    this.prior = prior;
    this.halfWidth = halfWidth;
    this.mass = mass(prior, halfWidth);
    this.offset = prior.addedVariance();
  }

  /**
   * Returns Z, the mass of a prior over [-C, C] that its density is divided by; 1 for the improper
   * prior. O(1), 48 exponentials for the conjugate prior.
   */
  static double mass(Prior prior, double halfWidth) {
    double unit = unit(halfWidth);
    double mass = prior.normaliser(halfWidth / unit, unit);
    return prior.hasPole() ? mass : unit * mass;
  }

  /**
   * Returns the power of two by which betting fractions up to {@code halfWidth} are divided, so
   * that they are below 1: scaling by it is exact.
   */
  private static double unit(double halfWidth) {
    return Math.scalb(1.0, Math.getExponent(halfWidth) + 1);
  }

  /** Returns a half-width within the domain of a potential. */
  static double within(double halfWidth) {
    return Math.max(1 / LARGEST_HALF_WIDTH, Math.min(LARGEST_HALF_WIDTH, halfWidth));
  }

  /** Returns the prediction w; plus or minus infinity where it exceeds every double. */
  public double prediction(double coins, double variance) {
    return predictionAt(coins, variance + offset);
  }

  /** Returns ln |w|, finite even where w overflows; negative infinity where w = 0. */
  public double logPrediction(double coins, double variance) {
    return logPredictionAt(coins, variance + offset);
  }

  /**
   * Returns ln F. The improper prior has infinite mass and so no F; its excess X, the integral of
   * (exp(v L - v^2 V) - 1) / |v|, replaces F - 1, and the result is sgn(X) ln(1 + |X|).
   */
  public double logPotential(double coins, double variance) {
    return logPotentialAt(coins, variance + offset);
  }

  double predictionAt(double coins, double quadratic) {
    return prediction(coins, quadratic, halfWidth, mass);
  }

  /**
   * Returns the prediction of betting fractions in a range that has shrunk: what fell out of it is
   * lost, so the density is still divided by the mass of the first range.
   *
   * @param quadratic V, plus b for the conjugate prior
   * @param range half-width of the present range
   * @param firstMass {@link #mass} of the first range
   */
  double prediction(double coins, double quadratic, double range, double firstMass) {
    double unit = unit(range);
    double c = range / unit;
    double a = scaledCoins(coins, unit);
    double b = scaledVariance(quadratic, unit);
    return !prior.isLogarithmic() && ClosedForm.covers(a, b)
        ? closedForm(a, b, c, scale(unit, firstMass), coins)
        : quadrature(Quantity.PREDICTION, a, b, c, unit, firstMass, coins);
  }

  /**
   * Returns the bets on one side, the integral of v exp(v L - v^2 V) over the prior's fractions in
   * (0, range]: at least 0, infinite where it exceeds every double. With equal V on both sides, the
   * prediction is side(L) - side(-L), but for the cancellation.
   *
   * @param coins L, of either sign
   * @param quadratic V, plus b for the conjugate prior
   * @param range half-width of the side's present range
   * @param firstMass {@link #mass} of the first range
   */
  double side(double coins, double quadratic, double range, double firstMass) {
    double unit = unit(range);
    double c = range / unit;
    double b = scaledVariance(quadratic, unit);
    double a = scaledCoins(coins, unit);
    if (coins > 0) {
      return quadrature(Quantity.SIDE, a, b, c, unit, firstMass, coins);
    }
    double scale = scale(unit, firstMass);
    double window = Math.min(c, 2 * WINDOW_DEPTH / (a + Math.sqrt(a * a + 4 * b * WINDOW_DEPTH)));
    return prior.isLogarithmic()
        ? scale * PanelQuadrature.mass(-a, b, 0, -a, 0, window, c, StrictMath.log(unit), true)
        : scale * window * foldedSum(sideFactor(), 0, b, 0, -a, 0, window);
  }

  private Factor sideFactor() {
    return prior.hasPole() ? SIDE_OF_POLE : SIDE;
  }

  /** Returns the factor from a scaled integral to w. */
  private double scale(double unit, double firstMass) {
    return prior.hasPole() ? unit / firstMass : unit / (firstMass / unit);
  }

  double logPredictionAt(double coins, double quadratic) {
    return logPrediction(coins, quadratic, halfWidth, mass);
  }

  double logPotentialAt(double coins, double quadratic) {
    return logPotential(coins, quadratic, halfWidth, mass);
  }

  /** Returns the logarithm of {@link #prediction}, of a range that has shrunk. */
  double logPrediction(double coins, double quadratic, double range, double firstMass) {
    return byQuadrature(Quantity.LOG_PREDICTION, coins, quadratic, range, firstMass);
  }

  /**
   * Returns the mass with which a wealth F becomes min(2 F, F + 1): the share of the fractions that
   * remain doubles, for at most the initial wealth. If the sides differ, the lesser V and the
   * larger range of the two make F an upper bound. The improper prior has no F, and keeps its mass.
   */
  double replenished(double coins, double quadratic, double range, double firstMass) {
    if (!prior.isProper()) {
      return firstMass;
    }
    double logPotential = logPotential(coins, quadratic, range, firstMass);
    return firstMass * Math.max(0.5, 1 / (1 + StrictMath.exp(-logPotential)));
  }

  /** Returns ln F of a range that has shrunk. */
  double logPotential(double coins, double quadratic, double range, double firstMass) {
    return byQuadrature(Quantity.LOG_POTENTIAL, coins, quadratic, range, firstMass);
  }

  /** Returns a quantity by {@link GaussLegendre}, also where there is a closed form. */
  double byQuadrature(
      Quantity quantity, double coins, double quadratic, double range, double firstMass) {
    double unit = unit(range);
    return quadrature(
        quantity,
        scaledCoins(coins, unit),
        scaledVariance(quadratic, unit),
        range / unit,
        unit,
        firstMass,
        coins);
  }

  private static double scaledCoins(double coins, double unit) {
    return Math.min(Math.abs(coins) * unit, LARGEST_COINS);
  }

  private static double scaledVariance(double quadratic, double unit) {
    return Math.min(quadratic * unit * unit, LARGEST_VARIANCE);
  }

  /** Returns w by {@link ClosedForm}, as exp(E / 2) (integral / Z) exp(E / 2), compensated. */
  private double closedForm(double a, double b, double c, double scale, double coins) {
    if (ClosedForm.isFlat(a, b, c)) {
      double integral =
          prior.hasPole() ? ClosedForm.flatMass(a, b, c) : ClosedForm.flatMoment(a, b, c);
      return Math.copySign(integral * scale, coins);
    }
    double slope = Peak.slope(a, b, c);
    double exponent = Peak.exponent(a, b, c, slope);
    double half = StrictMath.exp(exponent / 2);
    double decay = 1 / (half * half);
    double integral =
        prior.hasPole()
            ? ClosedForm.mass(a, b, c, slope, decay)
            : ClosedForm.moment(a, b, c, slope, decay);
    double low = Peak.exponentLow(a, b, c, slope, exponent);
    return Math.copySign(half * (integral * scale) * half * (1 + low), coins);
  }

  /** Computes window and integral in one method, because returning a window would allocate. */
  private double quadrature(
      Quantity quantity,
      double a,
      double b,
      double c,
      double unit,
      double firstMass,
      double coins) {
    double scale = scale(unit, firstMass);
    double edge = Peak.slope(a, b, c);
    double exponent = Peak.exponent(a, b, c, edge);
    double exponentLow = Peak.exponentLow(a, b, c, edge, exponent);
    double peak;
    double slope;
    double left;
    double right;
    if (Peak.isInside(b, edge)) {
      peak = a / (2 * b);
      slope = 0;
      left = Math.min(peak, Math.sqrt(WINDOW_DEPTH / b));
      right = Math.min(-edge / (2 * b), Math.sqrt(WINDOW_DEPTH / b));
    } else {
      peak = c;
      slope = edge;
      left = Math.min(c, 2 * WINDOW_DEPTH / (edge + Math.sqrt(edge * edge + 4 * b * WINDOW_DEPTH)));
      right = 0;
    }
    double logUnit = StrictMath.log(unit);
    boolean logarithmic = prior.isLogarithmic();
    double sum =
        switch (quantity) {
          case LOG_POTENTIAL ->
              prior.hasPole()
                  ? PanelQuadrature.excess(
                      a, b, peak, slope, left, right, exponent, c, logUnit, logarithmic)
                  : (left + right) * foldedSum(MASS, a, b, peak, slope, left, right);
          case SIDE ->
              logarithmic
                  ? PanelQuadrature.mass(a, b, peak, slope, left, right, c, logUnit, true)
                  : (left + right) * foldedSum(sideFactor(), a, b, peak, slope, left, right);
          case PREDICTION, LOG_PREDICTION ->
              logarithmic
                  ? PanelQuadrature.mass(a, b, peak, slope, left, right, c, logUnit, false)
                  : (left + right) * foldedSum(prior, a, b, peak, slope, left, right);
        };
    switch (quantity) {
      case LOG_POTENTIAL -> {
        double normalised = sum * scale / unit;
        return prior.hasPole()
            ? logExcess(normalised, exponent, exponentLow, prior.normaliser(c, unit) / firstMass)
            : exponent + (exponentLow + StrictMath.log(normalised));
      }
      case LOG_PREDICTION -> {
        return exponent + (exponentLow + StrictMath.log(sum * scale));
      }
      default -> {
        double half = StrictMath.exp(exponent / 2);
        return Math.copySign(half * (sum * scale) * half * (1 + exponentLow), coins);
      }
    }
  }

  /**
   * Returns the logarithm of the potential.
   *
   * @param sum of the excess over the potential without coins, relative to exp(E)
   * @param share that potential: the mass of the range over that of the first one; 1 for the
   *     improper prior
   */
  private double logExcess(double sum, double exponent, double exponentLow, double share) {
    if (exponent > PanelQuadrature.LOG_DOMAIN) {
      return exponent + (exponentLow + StrictMath.log(sum));
    }
    double excess = StrictMath.exp(exponent) * (1 + exponentLow) * sum;
    return prior.logPotential(excess + (share - 1));
  }

  /** Returns the integral of exp(-b v^2) over [-halfWidth, halfWidth]. */
  static double bellMass(double b, double halfWidth) {
    double limited = Math.min(b, LARGEST_VARIANCE);
    double window = Math.min(halfWidth, Math.sqrt(WINDOW_DEPTH / limited));
    return window * foldedSum(MASS, 0, limited, 0, 0, 0, window);
  }

  /**
   * Returns the mean of the integrand over the window [peak - left, peak + right], relative to
   * exp(E).
   *
   * @param factor the prior, for its prediction, or {@link #MASS}
   */
  private static double foldedSum(
      Factor factor, double a, double b, double peak, double slope, double left, double right) {
    double width = left + right;
    double sum = 0;
    for (int i = 0; i < GaussLegendre.SIZE; i++) {
      double u = GaussLegendre.node(i);
      double offset = right > 0 ? width * u - left : -left * u;
      double v = peak + offset;
      double x = 2 * a * v;
      sum +=
          GaussLegendre.weight(i)
              * StrictMath.exp(offset * (slope - b * offset))
              * factor.factor(v, x);
    }
    return sum;
  }

  /** Returns 1 - exp(-x) for x >= 0; beyond 40 the exponential is below rounding. */
  static double oneMinusExp(double x) {
    return x > 40 ? 1 : -StrictMath.expm1(-x);
  }
}
