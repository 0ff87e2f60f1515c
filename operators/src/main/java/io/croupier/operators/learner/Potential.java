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

  /** A power of two with C = unit * scaledHalfWidth: scaling by it is exact. */
  private final double unit;

  /** C / unit, in [1/2, 1). */
  private final double scaledHalfWidth;

  /** The conjugate prior adds b to V; the others add nothing. */
  private final double offset;

  /** Divisor of the folded integral, in scaled units. */
  private final double normaliser;

  /** unit / normaliser: factor from a scaled integral to w. */
  private final double scale;

  /** A factor of a folded integrand; x = 2 |L| v. */
  interface Factor {
    double factor(double v, double x);
  }

  /** The factor of the mass: 1 + exp(-x). */
  private static final Factor MASS = (v, x) -> x > 40 ? 1 : 1 + StrictMath.exp(-x);

  private enum Quantity {
    PREDICTION,
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
    this.unit = Math.scalb(1.0, Math.getExponent(halfWidth) + 1);
    this.scaledHalfWidth = halfWidth / unit;
    this.offset = prior.addedVariance();
    this.normaliser = prior.normaliser(scaledHalfWidth, unit);
    this.scale = unit / normaliser;
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
    double a = scaledCoins(coins);
    double b = scaledVariance(quadratic);
    return !prior.isLogarithmic() && ClosedForm.covers(a, b)
        ? closedForm(a, b, coins)
        : quadrature(Quantity.PREDICTION, a, b, coins);
  }

  double logPredictionAt(double coins, double quadratic) {
    return quadrature(
        Quantity.LOG_PREDICTION, scaledCoins(coins), scaledVariance(quadratic), coins);
  }

  double logPotentialAt(double coins, double quadratic) {
    return quadrature(Quantity.LOG_POTENTIAL, scaledCoins(coins), scaledVariance(quadratic), coins);
  }

  /**
   * Returns the prediction by {@link GaussLegendre} everywhere: the reference of the closed forms'
   * tests.
   */
  double predictionByQuadrature(double coins, double quadratic) {
    return quadrature(Quantity.PREDICTION, scaledCoins(coins), scaledVariance(quadratic), coins);
  }

  private double scaledCoins(double coins) {
    return Math.min(Math.abs(coins) * unit, LARGEST_COINS);
  }

  private double scaledVariance(double quadratic) {
    return Math.min(quadratic * unit * unit, LARGEST_VARIANCE);
  }

  /** Returns w by {@link ClosedForm}, as exp(E / 2) (integral / Z) exp(E / 2), compensated. */
  private double closedForm(double a, double b, double coins) {
    if (ClosedForm.isFlat(a, b, scaledHalfWidth)) {
      double integral =
          prior.hasPole()
              ? ClosedForm.flatMass(a, b, scaledHalfWidth)
              : ClosedForm.flatMoment(a, b, scaledHalfWidth);
      return Math.copySign(integral * scale, coins);
    }
    double slope = Peak.slope(a, b, scaledHalfWidth);
    double exponent = Peak.exponent(a, b, scaledHalfWidth, slope);
    double half = StrictMath.exp(exponent / 2);
    double decay = 1 / (half * half);
    double integral =
        prior.hasPole()
            ? ClosedForm.mass(a, b, scaledHalfWidth, slope, decay)
            : ClosedForm.moment(a, b, scaledHalfWidth, slope, decay);
    double low = Peak.exponentLow(a, b, scaledHalfWidth, slope, exponent);
    return Math.copySign(half * (integral * scale) * half * (1 + low), coins);
  }

  /** Computes window and integral in one method, because returning a window would allocate. */
  private double quadrature(Quantity quantity, double a, double b, double coins) {
    double c = Peak.slope(a, b, scaledHalfWidth);
    double exponent = Peak.exponent(a, b, scaledHalfWidth, c);
    double exponentLow = Peak.exponentLow(a, b, scaledHalfWidth, c, exponent);
    double peak;
    double slope;
    double left;
    double right;
    if (Peak.isInside(b, c)) {
      peak = a / (2 * b);
      slope = 0;
      left = Math.min(peak, Math.sqrt(WINDOW_DEPTH / b));
      right = Math.min(-c / (2 * b), Math.sqrt(WINDOW_DEPTH / b));
    } else {
      peak = scaledHalfWidth;
      slope = c;
      left =
          Math.min(
              scaledHalfWidth, 2 * WINDOW_DEPTH / (c + Math.sqrt(c * c + 4 * b * WINDOW_DEPTH)));
      right = 0;
    }

    if (quantity == Quantity.LOG_POTENTIAL) {
      if (prior.hasPole()) {
        double sum =
            PanelQuadrature.excess(a, b, peak, slope, left, right, exponent, this) / normaliser;
        return logExcess(sum, exponent, exponentLow);
      }
      double sum = (left + right) * foldedSum(MASS, a, b, peak, slope, left, right) / normaliser;
      return exponent + (exponentLow + StrictMath.log(sum));
    }
    double sum =
        prior.isLogarithmic()
            ? PanelQuadrature.oddMass(a, b, peak, slope, left, right, this)
            : (left + right) * foldedSum(prior, a, b, peak, slope, left, right);
    double mantissa = sum * scale;
    if (quantity == Quantity.LOG_PREDICTION) {
      return exponent + (exponentLow + StrictMath.log(mantissa));
    }
    double half = StrictMath.exp(exponent / 2);
    return Math.copySign(half * mantissa * half * (1 + exponentLow), coins);
  }

  private double logExcess(double sum, double exponent, double exponentLow) {
    if (exponent > PanelQuadrature.LOG_DOMAIN) {
      return exponent + (exponentLow + StrictMath.log(sum));
    }
    return prior.logPotential(StrictMath.exp(exponent) * (1 + exponentLow) * sum);
  }

  boolean logarithmic() {
    return prior.isLogarithmic();
  }

  double scaledHalfWidth() {
    return scaledHalfWidth;
  }

  /** Returns ln of the unit in which {@link PanelQuadrature} counts v. */
  double logUnit() {
    return StrictMath.log(unit);
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
