package io.croupier.operators.learner;

import io.croupier.operators.math.Vectors;

/** Creates rounds like an owner of a learner that publishes every round. */
final class TestRounds {
  private TestRounds() {}

  /** A round of one report that names the present round. */
  static <S extends LearnerState> Round fresh(
      Learner<S> learner, S state, double[] subgradient, double directionalVariance) {
    Round round = new Round(learner.dimension());
    round.gradientBound = 1;
    fill(round, learner, state, subgradient, directionalVariance);
    return round;
  }

  /** The same, of a model with the gradient bound {@code bound}. */
  static <S extends LearnerState> Round ofBound(
      double bound, Learner<S> learner, S state, double[] subgradient, double variance) {
    double[] g = subgradient.clone();
    if (learner.countsInUnitsOfTheBound()) {
      Vectors.scale(1 / bound, subgradient, g);
    }
    Round round = fresh(learner, state, g, variance);
    round.gradientBound = bound;
    return round;
  }

  static <S extends LearnerState> void fill(
      Round round, Learner<S> learner, S state, double[] subgradient, double directionalVariance) {
    learner.publish(state, new Iterate(learner.dimension()));
    round.dense();
    System.arraycopy(subgradient, 0, round.subgradient, 0, subgradient.length);
    round.squaredNorm = Vectors.squaredNorm(subgradient);
    round.directionalVariance = directionalVariance;
    if (learner.bets()) {
      double[] direction = new double[learner.dimension()];
      learner.direction(state, direction);
      round.coin = Vectors.dot(direction, subgradient);
    }
  }
}
