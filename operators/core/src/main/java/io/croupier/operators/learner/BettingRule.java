package io.croupier.operators.learner;

import java.io.Serializable;

/**
 * What a bettor makes of a round's coin C: by how much V grows, and how large h, its bound on
 * coins, must be. u = lambda G bounds the mean of a round's coin, n is the effective number of its
 * reports.
 */
sealed interface BettingRule extends Serializable {

  /** Returns rho, the largest betting fraction times h. */
  double rho();

  /** Returns whether the bettor takes a round before there is a direction. */
  boolean betsWithoutDirection();

  /**
   * Returns what h is at least after the round, but for what late reports require.
   *
   * @param meanBound u
   * @param noise variance of the coin by declaration, lambda^2 var
   */
  double hint(double coin, double meanBound, double reports, double noise);

  /** Returns the increment of V, at least 0. */
  double variance(double coin, double meanBound, double reports, double noise, double penalty);

  /**
   * The squared coin itself, which needs no declared noise, [vdH19, Algorithms 1 and 3]. Rounds of
   * one report have the paper's range of betting fractions, 1 / (5 G); the mean of many reports
   * never comes near G, so there h is the largest coin so far, never less than chance makes it, and
   * never more than 5/2 u.
   */
  record SquaredCoin() implements BettingRule {
    static final double RHO = 0.5;

    /** The paper's range 1 / (5 G) is RHO / (KAPPA G). */
    static final double KAPPA = 2.5;

    @Override
    public double rho() {
      return RHO;
    }

    @Override
    public boolean betsWithoutDirection() {
      return false;
    }

    @Override
    public double hint(double coin, double meanBound, double reports, double noise) {
      double floor = meanBound * Math.max(1 / Math.sqrt(reports), KAPPA / reports);
      return Math.max(floor, Math.min(Math.abs(coin), KAPPA * meanBound));
    }

    @Override
    public double variance(
        double coin, double meanBound, double reports, double noise, double penalty) {
      return Math.min(coin * coin + penalty, Double.MAX_VALUE);
    }
  }

  /**
   * The declared variance, [JO19, Algorithm 1], where the noise dominates or the round is one
   * report; otherwise the squared coin, at least the declared variance. sigma1^2 is the declared
   * sub-exponential variance of the noise along one direction: the paper's line 4 uses sigma^2 =
   * E||xi||^2 instead, about d times too large, and too small for d = 1.
   */
  record DeclaredNoise() implements BettingRule {
    /** k1 of [JO19]: below the root 0.68380.. of exp(-x - x^2) = 1 - x. */
    static final double K1 = 0.6838;

    private static final double DOMINATES = 2;

    @Override
    public double rho() {
      return K1;
    }

    @Override
    public boolean betsWithoutDirection() {
      return true;
    }

    private static boolean isNoise(double meanBound, double reports, double noise) {
      return reports == 1 || noise >= DOMINATES * meanBound * meanBound;
    }

    @Override
    public double hint(double coin, double meanBound, double reports, double noise) {
      return isNoise(meanBound, reports, noise)
          ? meanBound
          : Math.max(meanBound / Math.sqrt(reports), Math.abs(coin));
    }

    @Override
    public double variance(
        double coin, double meanBound, double reports, double noise, double penalty) {
      double variance =
          isNoise(meanBound, reports, noise)
              ? meanBound * meanBound + noise / 2 + penalty
              : Math.max(coin * coin + penalty, noise);
      return Math.min(variance, Double.MAX_VALUE);
    }
  }
}
