package io.croupier.operators.report;

import com.google.protobuf.Message;
import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.StrongestNoise;
import io.croupier.schemas.SubExponential;

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
  private final GradientSpace space;
  private final double bettingRange;

  /** The variance of the strongest noise, at the end of the betting range. */
  private final double largestVariance;

  private DirectionalNoise(
      Knowledge knowledge, GradientSpace space, double bettingRange, double largestVariance) {
    this.knowledge = knowledge;
    this.space = space;
    this.bettingRange = bettingRange;
    this.largestVariance = largestVariance;
  }

  /**
   * Returns the directional noise of a valid spec.
   *
   * @throws IllegalArgumentException if the spec of BANCO has no strongest noise
   */
  public static DirectionalNoise of(ModelSpec spec) {
    return of(spec, new SpecGradients(spec, new PrivUnitLaws()).all());
  }

  /**
   * The same, where reports are judged.
   *
   * @param space of the same spec
   * @throws IllegalArgumentException if the spec of BANCO has no strongest noise
   */
  public static DirectionalNoise of(ModelSpec spec, GradientSpace space) {
    double largestBet = LARGEST_BET / space.gradientBound();
    if (!spec.hasBanco()) {
      return new DirectionalNoise(Knowledge.NOT_NEEDED, space, largestBet, 0);
    }
    StrongestNoise strongest = spec.getBanco().getStrongestNoise();
    Message declared = Declarations.declared(strongest);
    if (declared == null) {
      throw new IllegalArgumentException(
          "banco.strongest_noise is not set; it has to be one of "
              + Declarations.names(StrongestNoise.getDescriptor()));
    }
    if (declared instanceof SubExponential bound) {
      return new DirectionalNoise(
          Knowledge.VOUCHED, space, Math.min(largestBet, bound.getBetaMax()), bound.getVariance());
    }
    Mechanism mechanism = Declarations.of(declared, 0);
    // Half way to the pole of the strongest noise.
    double range = Math.min(largestBet, mechanism.pole(space) / 2);
    return new DirectionalNoise(
        Knowledge.DECLARED, space, range, mechanism.directionalVariance(space, range));
  }

  /**
   * Returns a: the largest betting fraction for which the variances hold, in units of 1 / gradient.
   */
  public double bettingRange() {
    return bettingRange;
  }

  /**
   * Returns whether the learner can use a report of this mechanism: false if it needs a declaration
   * and there is none, or if the noise along one direction is stronger than the strongest.
   */
  public boolean accepts(Mechanism mechanism) {
    if (knowledge != Knowledge.DECLARED) {
      return true;
    }
    double variance = mechanism.directionalVariance(space, bettingRange);
    return variance <= largestVariance && Double.isFinite(variance);
  }

  /**
   * Returns the sub-exponential variance of an accepted report of this mechanism; 0 for learners
   * that don't need it.
   */
  public double variance(Mechanism mechanism) {
    return switch (knowledge) {
      case NOT_NEEDED -> 0;
      case VOUCHED -> largestVariance;
      case DECLARED -> mechanism.directionalVariance(space, bettingRange);
    };
  }
}
