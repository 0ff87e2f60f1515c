package io.croupier.operators.learner;

import java.io.Serializable;

/**
 * Density over betting fractions v in [-C, C], [vdH19, section 4]. All are symmetric.
 *
 * <p>A {@link Potential} integrates over v > 0 in scaled units: v and the half-width are divided by
 * a power of two, the unit. In each density below, Z is the normaliser.
 */
public sealed interface Prior extends Potential.Factor, Serializable {

  /**
   * Checks the half-width C of the betting fractions.
   *
   * @throws IllegalArgumentException if the density isn't defined on [-C, C]
   */
  default void checkHalfWidth(double halfWidth) {}

  /** Returns what the density adds to the variance V in exp(v L - v^2 V). */
  default double addedVariance() {
    return 0;
  }

  /**
   * Returns the least h, the bound on coins, that the density allows, for a gradient bound G; the
   * betting fractions are at most 1 / (2 h).
   */
  default double leastBound(double gradientBound) {
    return 0;
  }

  /** Returns Z in scaled units; the half-width is scaled, too. */
  double normaliser(double halfWidth, double unit);

  /** Returns whether the density is 1 / |v| times a function that is finite at 0 or vanishes. */
  boolean hasPole();

  /** Returns whether the density has a finite mass. */
  default boolean isProper() {
    return true;
  }

  /** Returns whether the density contains 1 / ln^2 |v|, so that there are no closed forms. */
  default boolean isLogarithmic() {
    return false;
  }

  /**
   * Returns v p(v) (1 - exp(-x)) without Z, ln^2 |v| and exp(-b v^2): the factor of the
   * prediction's integrand that is neither in the exponent nor logarithmic.
   */
  @Override
  default double factor(double v, double x) {
    double rise = Potential.oneMinusExp(x);
    return hasPole() ? rise : v * rise;
  }

  /**
   * Returns the logarithm of the potential.
   *
   * @param excess F - 1, or what replaces it where F is infinite
   */
  default double logPotential(double excess) {
    return StrictMath.log1p(excess);
  }

  /** 1 / |v|: infinite mass near 0, so that the potential is an excess over doing nothing. */
  record Improper() implements Prior {
    @Override
    public double normaliser(double halfWidth, double unit) {
      return 1;
    }

    @Override
    public boolean hasPole() {
      return true;
    }

    @Override
    public boolean isProper() {
      return false;
    }

    /** Returns sgn(X) ln(1 + |X|), because the excess X can be below -1. */
    @Override
    public double logPotential(double excess) {
      return Math.copySign(StrictMath.log1p(Math.abs(excess)), excess);
    }
  }

  /**
   * exp(-b v^2) / Z.
   *
   * @param b concentration, positive, in squared units of a gradient
   */
  record Conjugate(double b) implements Prior {
    public Conjugate {
      if (!(b > 0) || Double.isInfinite(b)) {
        throw new IllegalArgumentException(
            "prior.conjugate.b is " + b + "; it has to be positive and finite");
      }
    }

    @Override
    public double addedVariance() {
      return b;
    }

    @Override
    public double normaliser(double halfWidth, double unit) {
      return Potential.bellMass(b * unit * unit, halfWidth);
    }

    @Override
    public boolean hasPole() {
      return false;
    }
  }

  /** 1 / (2C). */
  record Uniform() implements Prior {
    @Override
    public double normaliser(double halfWidth, double unit) {
      return 2 * halfWidth;
    }

    @Override
    public boolean hasPole() {
      return false;
    }
  }

  /** 1 / (Z |v| ln^2 |v|); needs C &lt; 1, that is, G > 1/5. */
  record Cv() implements Prior {
    @Override
    public void checkHalfWidth(double halfWidth) {
      if (halfWidth >= 1) {
        throw new IllegalArgumentException(
            "prior.cv needs a half-width C = 1 / (5 gradient_bound) below 1, got "
                + halfWidth
                + "; gradient_bound has to exceed 0.2");
      }
    }

    /** Fractions stay in the range of [vdH19], 1 / (5 G), which a valid spec keeps below 1. */
    @Override
    public double leastBound(double gradientBound) {
      return BettingRule.SquaredCoin.KAPPA * gradientBound;
    }

    @Override
    public double normaliser(double halfWidth, double unit) {
      return 2 / -StrictMath.log(halfWidth * unit);
    }

    @Override
    public boolean hasPole() {
      return true;
    }

    @Override
    public boolean isLogarithmic() {
      return true;
    }
  }
}
