package io.croupier.operators.learner;

import io.croupier.operators.noise.DirectionalNoise;
import io.croupier.schemas.Banco;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.util.Locale;

/**
 * Creates the learner of a local {@link ModelSpec}, and the settings that all learners share.
 * adaptive_radius ignores initial_wealth and averaging, since it has its own; ldp_sgd ignores
 * initial_wealth, since it doesn't bet.
 */
public final class Learners {

  /**
   * C G of [vdH19, Lemma 4]: C = 1/(5G). (The largest that the lemma's inequality admits is
   * 0.2836/G; 1/5 is the paper's choice.)
   */
  private static final double POTENTIAL_REACH = 1.0 / 5;

  private Learners() {}

  /**
   * Returns the learner of a valid spec.
   *
   * @throws IllegalArgumentException if the learner, or a setting of it, is not available
   */
  public static Learner<?> of(ModelSpec spec) {
    return switch (spec.getLearnerCase()) {
      case BANCO -> banco(spec);
      case BLACK_BOX -> blackBox(spec);
      case ADAPTIVE_RADIUS ->
          new AdaptiveRadius(ModelSpecs.firstGradientBound(spec), initialWeights(spec));
      case LDP_SGD -> ldpSgd(spec);
      case COORDINATE_WISE -> coordinateWise(spec);
      case DP_FTRL, DP_FTRL_LEAST_SQUARES, DP_FTRL_PARAMETER_FREE, LEARNER_NOT_SET ->
          throw new IllegalArgumentException(
              "learner is "
                  + spec.getLearnerCase().name().toLowerCase(Locale.ROOT)
                  + "; learners of noised reports are adaptive_radius, banco, black_box,"
                  + " coordinate_wise and ldp_sgd");
    };
  }

  private static Learner<?> banco(ModelSpec spec) {
    Potential potential =
        new Potential(new Prior.Uniform(), DirectionalNoise.of(spec).bettingRange());
    CoinVariance variance = new CoinVariance.Declared(spec.getGradientBound());
    Banco banco = spec.getBanco();
    return product(spec, potential, variance, banco.hasRadius(), banco.getRadius());
  }

  private static Learner<?> blackBox(ModelSpec spec) {
    BlackBox blackBox = spec.getBlackBox();
    return product(
        spec,
        potential(spec),
        new CoinVariance.SquaredCoin(),
        blackBox.hasRadius(),
        blackBox.getRadius());
  }

  private static Learner<?> coordinateWise(ModelSpec spec) {
    var learner = spec.getCoordinateWise();
    return new CoordinateWise(
        potential(spec),
        ModelSpecs.initialWealth(spec),
        constraint(spec, learner.hasRadius(), learner.getRadius()),
        averaging(spec),
        initialWeights(spec));
  }

  private static Learner<?> ldpSgd(ModelSpec spec) {
    var sgd = spec.getLdpSgd();
    return new LdpSgd(
        sgd.getStepSize(),
        sgd.getDecay(),
        radius(sgd.hasRadius(), sgd.getRadius()),
        averaging(spec),
        initialWeights(spec));
  }

  private static Learner<?> product(
      ModelSpec spec,
      Potential potential,
      CoinVariance variance,
      boolean hasRadius,
      double radius) {
    return new ProductLearner(
        new MagnitudeLearner(potential, variance, ModelSpecs.initialWealth(spec)),
        constraint(spec, hasRadius, radius),
        averaging(spec),
        initialWeights(spec));
  }

  private static Potential potential(ModelSpec spec) {
    return new Potential(prior(spec), POTENTIAL_REACH / spec.getGradientBound());
  }

  private static BallConstraint constraint(ModelSpec spec, boolean hasRadius, double radius) {
    return new BallConstraint(radius(hasRadius, radius), spec.getGradientBound());
  }

  private static double radius(boolean given, double radius) {
    return given ? radius : Double.POSITIVE_INFINITY;
  }

  /** Returns the prior over betting fractions of a learner that has one. */
  public static Prior prior(ModelSpec spec) {
    return switch (ModelSpecs.prior(spec).getPriorCase()) {
      case IMPROPER -> new Prior.Improper();
      case CONJUGATE -> new Prior.Conjugate(ModelSpecs.conjugateB(spec));
      case UNIFORM -> new Prior.Uniform();
      case CV -> new Prior.Cv();
      case PRIOR_NOT_SET ->
          throw new IllegalArgumentException(
              "prior is not set; it has to be improper, conjugate, uniform or cv");
    };
  }

  /** Returns the averaging of a spec. */
  public static Averaging averaging(ModelSpec spec) {
    return new Averaging(ModelSpecs.averagingDegree(spec));
  }

  /** Returns the weights of a spec's round 0. */
  public static InitialWeights initialWeights(ModelSpec spec) {
    return spec.getInitialWeightsCount() == 0
        ? InitialWeights.zero(spec.getDimension())
        : InitialWeights.of(ModelSpecs.initialWeights(spec));
  }
}
