package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.report.Specs;
import java.util.Arrays;
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
    return TestLearners.product(
        TestLearners.bettor(new Prior.Improper(), WEALTH), DEGREE, initialWeights);
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
    var combined = new TestRun<>(learner(InitialWeights.of(start), 1));
    var product = new TestRun<>(product(InitialWeights.of(start)));
    var coordinates = new TestRun<>(coordinates(d));
    Random random = new Random(31);
    for (int t = 0; t < 100; t++) {
      Iterate sum = combined.publish(t);
      Iterate one = product.publish(t);
      Iterate other = coordinates.publish(t);
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
      combined.step(round, t - 1);
      product.step(round, t - 1);
      coordinates.step(round, t - 1);
    }
    assertThat(product.newest.weights[0]).as("the black box moved").isNotEqualTo(start[0]);
    assertThat(coordinates.newest.weights[0]).as("the coordinate-wise learner moved").isNotZero();
  }

  /** Two gradients of -1; the first is no coin of the black box, which has no direction then. */
  @Test
  void sharesTheWealthEquallyBetweenTheLearnersAndAmongTheCoordinates() {
    int d = 100;
    Learner<?> learner = Learners.of(Specs.of(d, 1, "initial_wealth: 6 combined {}"));
    assertThat(learner).isInstanceOf(Combined.class);
    TestRun<?> run = new TestRun<>(learner);
    double[] gradient = new double[d];
    gradient[0] = -1;
    run.step(gradient);
    run.step(gradient);
    double[] weights = run.publish().weights;
    Potential potential = new Potential(new Prior.Improper(), 0.2);
    double expected = 3 * potential.prediction(1, 1) + 3.0 / d * potential.prediction(2, 2);
    assertThat(weights[0]).isCloseTo(expected, within(1e-14));
    assertThat(Arrays.copyOfRange(weights, 1, d)).containsOnly(0);
  }
}
