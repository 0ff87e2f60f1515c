package io.croupier.operators.noise;

import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.Banco;
import io.croupier.schemas.CoordinateLaplace;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.StrongestNoise;

/**
 * The noise of reports as BANCO needs it: the sub-exponential variance along the direction of the
 * bet, valid over the range of betting fractions. Other learners don't need it, and accept all
 * reports.
 *
 * <p>Source: [JO19, Algorithm 1 and Lemma 7], with 1/b = epsilon / (4G) in place of the misprinted
 * b = epsilon / 4, and the variance along one direction in place of E||xi||^2.
 *
 * <p>The noise doesn't depend on the clipping of gradients. But the betting range assumes gradients
 * whose L2 norm is at most G, so reports that declare another clip are refused before this check.
 *
 * <p>A check costs O(1), for coordinate noise O(d). Not safe for use by several threads.
 */
public final class DirectionalNoise {

  /** k1 of [JO19]: below the root 0.68380.. of exp(-x - x^2) = 1 - x. */
  private static final double LARGEST_BET = 0.6838;

  private enum Knowledge {
    /** The learner is not BANCO. */
    NOT_NEEDED,
    /** Each report declares its own noise. */
    DECLARED,
    /** The operator vouches for every report. */
    VOUCHED
  }

  private final Knowledge knowledge;
  private final double gradientBound;
  private final int dimension;
  private final double bettingRange;

  /** The variance of the strongest noise, at the end of the betting range. */
  private final double largestVariance;

  private final PrivUnitReports privUnits;

  private DirectionalNoise(
      Knowledge knowledge,
      ModelSpec spec,
      PrivUnitReports privUnits,
      double bettingRange,
      double largestVariance) {
    this.privUnits = privUnits;
    this.knowledge = knowledge;
    this.gradientBound = spec.getGradientBound();
    this.dimension = spec.getDimension();
    this.bettingRange = bettingRange;
    this.largestVariance = largestVariance;
  }

  /**
   * Returns the directional noise of a valid spec.
   *
   * @throws IllegalArgumentException if the spec of BANCO has no strongest noise
   */
  public static DirectionalNoise of(ModelSpec spec) {
    return of(spec, PrivUnitReports.of(spec));
  }

  /**
   * The same, where reports are judged.
   *
   * @param privUnits of the same spec
   * @throws IllegalArgumentException if BANCO is given no strongest noise
   */
  public static DirectionalNoise of(ModelSpec spec, PrivUnitReports privUnits) {
    double g = spec.getGradientBound();
    if (spec.getLearnerCase() != ModelSpec.LearnerCase.BANCO) {
      return new DirectionalNoise(Knowledge.NOT_NEEDED, spec, privUnits, LARGEST_BET / g, 0);
    }
    Banco banco = spec.getBanco();
    StrongestNoise strongest = banco.getStrongestNoise();
    return switch (strongest.getNoiseCase()) {
      case L2_LAPLACE -> {
        double scale = 2 * g / strongest.getL2Laplace().getEpsilon();
        double range = range(g, scale);
        yield new DirectionalNoise(
            Knowledge.DECLARED,
            spec,
            privUnits,
            range,
            DirectionalVariance.l2Laplace(spec.getDimension(), scale, range));
      }
      case COORDINATE_LAPLACE -> {
        double scale = 2 * g / smallestTau(strongest.getCoordinateLaplace());
        double range = range(g, scale);
        yield new DirectionalNoise(
            Knowledge.DECLARED,
            spec,
            privUnits,
            range,
            DirectionalVariance.coordinateLaplace(scale, range));
      }
      case GAUSSIAN ->
          new DirectionalNoise(
              Knowledge.DECLARED,
              spec,
              privUnits,
              LARGEST_BET / g,
              DirectionalVariance.gaussian(2 * g / strongest.getGaussian().getMu()));
      case PRIV_UNIT -> {
        PrivUnit mechanism = strongest.getPrivUnit();
        yield new DirectionalNoise(
            Knowledge.DECLARED,
            spec,
            privUnits,
            LARGEST_BET / g,
            privUnits.bettingVariance(
                mechanism.getEpsilon(),
                mechanism.getCandidates(),
                mechanism.getTop(),
                LARGEST_BET / g));
      }
      case SUB_EXPONENTIAL ->
          new DirectionalNoise(
              Knowledge.VOUCHED,
              spec,
              privUnits,
              Math.min(LARGEST_BET / g, strongest.getSubExponential().getBetaMax()),
              strongest.getSubExponential().getVariance());
      case NOISE_NOT_SET ->
          throw new IllegalArgumentException(
              "banco.strongest_noise is not set; it has to be l2_laplace, coordinate_laplace,"
                  + " gaussian, priv_unit or sub_exponential");
    };
  }

  /**
   * Returns the betting range: half way to the pole of the strongest noise, beta_max = epsilon /
   * (4G).
   */
  private static double range(double gradientBound, double scale) {
    return Math.min(LARGEST_BET / gradientBound, 1 / (2 * scale));
  }

  /** Returns the smallest tau, which alone decides. Infinite taus add no noise. */
  private static double smallestTau(CoordinateLaplace strongest) {
    double smallest = Double.POSITIVE_INFINITY;
    for (int j = 0; j < strongest.getTausCount(); j++) {
      smallest = Math.min(smallest, strongest.getTaus(j));
    }
    return smallest;
  }

  /**
   * Returns a: the largest betting fraction for which the variances hold, in units of 1 / gradient.
   */
  public double bettingRange() {
    return bettingRange;
  }

  /**
   * Returns whether the learner can use the report: false if it needs a declaration and there is
   * none, or if the declared noise along one direction is stronger than the strongest.
   */
  public boolean accepts(Report report) {
    if (knowledge != Knowledge.DECLARED) {
      return true;
    }
    double variance = declaredVariance(report);
    return variance <= largestVariance && Double.isFinite(variance);
  }

  /**
   * Returns the sub-exponential variance of an accepted report; 0 for learners that don't need it.
   */
  public double variance(Report report) {
    return switch (knowledge) {
      case NOT_NEEDED -> 0;
      case VOUCHED -> largestVariance;
      case DECLARED -> declaredVariance(report);
    };
  }

  /** Returns the declared variance; infinite if the declaration implies no bound. */
  private double declaredVariance(Report report) {
    Declaration declaration = report.declaration;
    return switch (declaration) {
      case L2_LAPLACE ->
          DirectionalVariance.l2Laplace(dimension, 2 * gradientBound / report.level, bettingRange);
      case COORDINATE_LAPLACE ->
          DirectionalVariance.coordinateLaplace(
              2 * gradientBound / smallestTau(report), bettingRange);
      case GAUSSIAN -> DirectionalVariance.gaussian(2 * gradientBound / report.level);
      case PRIV_UNIT ->
          privUnits.bettingVariance(report.level, report.candidates, report.top, bettingRange);
      case UNDISCLOSED, CENTRAL -> Double.POSITIVE_INFINITY;
    };
  }

  private static double smallestTau(Report report) {
    double smallest = Double.POSITIVE_INFINITY;
    int count = PackedVectors.count(VectorForm.DENSE, report.taus);
    for (int i = 0; i < count; i++) {
      smallest = Math.min(smallest, PackedVectors.doubleAt(report.taus, i));
    }
    return smallest;
  }
}
