package io.croupier.operators.model;

import io.croupier.operators.central.ftrl.Ftrl;
import io.croupier.operators.central.ftrl.FtrlParameters;
import io.croupier.operators.central.ftrl.LeastSquaresFtrl;
import io.croupier.operators.central.ftrl.LeastSquaresParameters;
import io.croupier.operators.central.ftrl.ParameterFreeFtrl;
import io.croupier.operators.central.ftrl.PrefixLearner;
import io.croupier.operators.learner.Learners;
import io.croupier.operators.ledger.CentralMechanism;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.DpFtrlLeastSquares;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;

/** Creates the learner of prefix sums that a central {@link ModelSpec} names. */
final class CentralLearners {

  /**
   * The most reports in a round of dp_ftrl_parameter_free, as a multiple of the goal: its bets
   * assume a bound on the contribution of a round.
   */
  static final int MOST_GOALS = 2;

  private CentralLearners() {}

  /**
   * Returns the learner of a valid central spec. It receives sums that are divided by the goal of a
   * round.
   *
   * @throws IllegalArgumentException naming the field of the spec that doesn't allow it
   */
  static PrefixLearner<?> of(ModelSpec spec) {
    return switch (spec.getLearnerCase()) {
      case DP_FTRL -> linear(spec, spec.getDpFtrl());
      case DP_FTRL_LEAST_SQUARES -> leastSquares(spec, spec.getDpFtrlLeastSquares());
      case DP_FTRL_PARAMETER_FREE ->
          new ParameterFreeFtrl(
              MOST_GOALS * spec.getDpFtrlParameterFree().getClipNorm(),
              Learners.prior(spec),
              ModelSpecs.initialWealth(spec),
              Learners.averaging(spec),
              Learners.initialWeights(spec));
      default ->
          throw new IllegalArgumentException(
              "learner is %s, which is not central".formatted(spec.getLearnerCase()));
    };
  }

  private static PrefixLearner<?> linear(ModelSpec spec, DpFtrl ftrl) {
    return new Ftrl(
        new FtrlParameters(
            ftrl.getLearningRate(),
            ftrl.getMomentum(),
            ftrl.hasRadius() ? ftrl.getRadius() : Double.POSITIVE_INFINITY,
            ftrl.getL1()),
        Learners.averaging(spec),
        Learners.initialWeights(spec));
  }

  private static PrefixLearner<?> leastSquares(ModelSpec spec, DpFtrlLeastSquares ftrl) {
    return new LeastSquaresFtrl(
        CentralMechanism.moments(spec),
        new LeastSquaresParameters(ftrl.getLambda(), ftrl.getRadius()),
        Learners.averaging(spec),
        Learners.initialWeights(spec));
  }
}
