package io.croupier.operators.learner;

import io.croupier.operators.noise.DirectionalNoise;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.util.Locale;

/**
 * The learner that a {@link ModelSpec} asks for. initial_wealth and averaging say nothing to
 * adaptive_radius, which has its own, nor initial_wealth to ldp_sgd, which doesn't bet.
 */
public final class Learners {

  /**
   * C G of [vdH19, Lemma 4]: C = 1/(5G). (The largest that the lemma's inequality admits is
   * 0.2836/G; 1/5 is the paper's choice.)
   */
  private static final double POTENTIAL_REACH = 1.0 / 5;

  private Learners() {}

  /**
   * The learner of a valid spec.
   *
   * @throws IllegalArgumentException if the learner, or a setting of it, is not available
   */
  public static Learner<?> of(ModelSpec spec) {
    return switch (spec.getLearnerCase()) {
      case BANCO -> banco(spec);
      case BLACK_BOX -> blackBox(spec);
      case ADAPTIVE_RADIUS -> new AdaptiveRadius(spec.getGradientBound(), initialWeights(spec));
      case LDP_SGD -> ldpSgd(spec);
      case COORDINATE_WISE,
          DP_FTRL,
          DP_FTRL_LEAST_SQUARES,
          DP_FTRL_PARAMETER_FREE,
          LEARNER_NOT_SET ->
          throw new IllegalArgumentException(
              "learner is "
                  + spec.getLearnerCase().name().toLowerCase(Locale.ROOT)
                  + "; available are adaptive_radius, banco, black_box and ldp_sgd");
    };
  }

  private static Learner<?> banco(ModelSpec spec) {
    refuseRadius("banco", spec.getBanco().hasRadius());
    Potential potential =
        new Potential(new Prior.Uniform(), DirectionalNoise.of(spec).bettingRange());
    return product(spec, potential, new CoinVariance.Declared(spec.getGradientBound()));
  }

  private static Learner<?> blackBox(ModelSpec spec) {
    refuseRadius("black_box", spec.getBlackBox().hasRadius());
    Potential potential = new Potential(prior(spec), POTENTIAL_REACH / spec.getGradientBound());
    return product(spec, potential, new CoinVariance.SquaredCoin());
  }

  private static Learner<?> ldpSgd(ModelSpec spec) {
    refuseRadius("ldp_sgd", spec.getLdpSgd().hasRadius());
    return new LdpSgd(
        spec.getLdpSgd().getStepSize(),
        spec.getLdpSgd().getDecay(),
        averaging(spec),
        initialWeights(spec));
  }

  private static Learner<?> product(ModelSpec spec, Potential potential, CoinVariance variance) {
    return new ProductLearner(
        new MagnitudeLearner(potential, variance, ModelSpecs.initialWealth(spec)),
        averaging(spec),
        initialWeights(spec));
  }

  private static Prior prior(ModelSpec spec) {
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

  private static Averaging averaging(ModelSpec spec) {
    return new Averaging(ModelSpecs.averagingDegree(spec));
  }

  private static InitialWeights initialWeights(ModelSpec spec) {
    return spec.getInitialWeightsCount() == 0
        ? InitialWeights.zero(spec.getDimension())
        : InitialWeights.of(ModelSpecs.initialWeights(spec));
  }

  private static void refuseRadius(String learner, boolean hasRadius) {
    if (hasRadius) {
      throw new IllegalArgumentException(
          learner + ".radius is set; weights can't be kept in a ball yet, leave it out");
    }
  }
}
