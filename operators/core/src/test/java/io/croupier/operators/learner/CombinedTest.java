package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class CombinedTest extends LearnerContract<Combined.State> {
  private static final double WEALTH = 3;
  private static final double DEGREE = 2;

  @Override
  Learner<Combined.State> learner(InitialWeights initialWeights, double gradientBound) {
    return new Combined(product(initialWeights), coordinates(initialWeights.dimension()));
  }

  private static ProductLearner product(InitialWeights initialWeights) {
    return new ProductLearner(
        new MagnitudeLearner(
            new Prior.Improper(), new BettingRule.SquaredCoin(), Double.POSITIVE_INFINITY, WEALTH),
        BallConstraint.NONE,
        new Averaging(DEGREE),
        initialWeights);
  }

  private static CoordinateWise coordinates(int dimension) {
    return new CoordinateWise(
        new Prior.Improper(),
        WEALTH / dimension,
        BallConstraint.NONE,
        new Averaging(DEGREE),
        InitialWeights.zero(dimension));
  }

  @Override
  int keptVectors() {
    return 4;
  }

  @Override
  double largestWeight() {
    return 2 * MagnitudeLearner.LIMIT;
  }

  /** Both learners, each with a state of its own, on the same rounds; two publications late. */
  @Test
  void isTheSumOfBothLearners() {
    int d = 4;
    double[] start = {1, -2, 0, 5};
    Learner<Combined.State> combined = learner(InitialWeights.of(start), 1);
    ProductLearner product = product(InitialWeights.of(start));
    CoordinateWise coordinates = coordinates(d);
    Combined.State both = combined.initial();
    ProductLearner.State first = product.initial();
    CoordinateWise.State second = coordinates.initial();
    Iterate sum = new Iterate(d);
    Iterate one = new Iterate(d);
    Iterate other = new Iterate(d);
    Random random = new Random(31);
    for (int t = 0; t < 100; t++) {
      combined.publish(both, t, sum);
      product.publish(first, t, one);
      coordinates.publish(second, t, other);
      for (int j = 0; j < d; j++) {
        assertThat(sum.weights[j]).isEqualTo(one.weights[j] + other.weights[j]);
        assertThat(sum.average[j]).isEqualTo(one.average[j] + other.average[j]);
      }
      assertThat(sum.round).isEqualTo(t);
      assertThat(sum.diagnostics)
          .containsEntry("magnitude", one.diagnostics.get("magnitude"))
          .containsEntry("largest-magnitude", other.diagnostics.get("largest-magnitude"));
      Round round = new Round();
      for (long named = Math.max(0, t - 2); named <= t; named++) {
        TestRounds.add(round, named, 3, 1, noisyGradient(random, d, 0.5), 0);
      }
      combined.step(both, round);
      product.step(first, round);
      coordinates.step(second, round);
      combined.forget(both, t - 1);
      product.forget(first, t - 1);
      coordinates.forget(second, t - 1);
    }
    assertThat(one.weights[0]).as("the black box moved").isNotEqualTo(start[0]);
    assertThat(other.weights[0]).as("the coordinate-wise learner moved").isNotZero();
  }

  @Test
  void sharesTheWealthEquallyBetweenTheLearnersAndAmongTheCoordinates() throws Exception {
    int d = 100;
    Learner<?> learner =
        Learners.of(
            io.croupier.schemas.ModelSpec.newBuilder()
                .setModelId("m")
                .setDimension(d)
                .setGradientBound(1)
                .setInitialWealth(6)
                .setCombined(io.croupier.schemas.Combined.getDefaultInstance())
                .build());
    assertThat(learner).isInstanceOf(Combined.class);
    double[] weights = firstBet(learner);
    Potential potential = new Potential(new Prior.Improper(), 0.2);
    double product = 3 * potential.prediction(1, 1);
    double coordinate = 3.0 / d * potential.prediction(2, 2);
    assertThat(weights[0]).isCloseTo(product + coordinate, within(1e-14));
    for (int j = 1; j < d; j++) {
      assertThat(weights[j]).isZero();
    }
  }

  /**
   * The weights after two gradients of -1 in the first coordinate. The first gradient is no coin of
   * the black box, which has no direction then.
   */
  private static <S extends LearnerState> double[] firstBet(Learner<S> learner) {
    S state = learner.initial();
    double[] gradient = new double[learner.dimension()];
    gradient[0] = -1;
    learner.step(state, TestRounds.fresh(learner, state, gradient, 0));
    learner.step(state, TestRounds.fresh(learner, state, gradient, 0));
    Iterate iterate = new Iterate(learner.dimension());
    TestRounds.publish(learner, state, iterate);
    return iterate.weights;
  }
}
