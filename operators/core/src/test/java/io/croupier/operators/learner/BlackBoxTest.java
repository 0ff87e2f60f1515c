package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class BlackBoxTest extends LearnerContract<ProductLearner.State> {
  @Override
  Learner<ProductLearner.State> learner(InitialWeights initialWeights, double gradientBound) {
    return learner(initialWeights, 1, 0);
  }

  private static Learner<ProductLearner.State> learner(
      InitialWeights initialWeights, double wealth, double degree) {
    return new ProductLearner(
        new MagnitudeLearner(
            new Prior.Improper(), new BettingRule.SquaredCoin(), Double.POSITIVE_INFINITY, wealth),
        BallConstraint.NONE,
        new Averaging(degree),
        initialWeights);
  }

  @Test
  void wealthMultipliesEveryPrediction() {
    var one = learner(InitialWeights.zero(3), 1, 0);
    var seven = learner(InitialWeights.zero(3), 7, 0);
    var oneState = one.initial();
    var sevenState = seven.initial();
    run(one, oneState, new Random(6), 50, 1);
    run(seven, sevenState, new Random(6), 50, 1);
    Iterate a = new Iterate(3);
    Iterate b = new Iterate(3);
    TestRounds.publish(one, oneState, a);
    TestRounds.publish(seven, sevenState, b);
    for (int j = 0; j < 3; j++) {
      assertThat(b.weights[j]).isCloseTo(7 * a.weights[j], within(1e-14 * Math.abs(b.weights[j])));
      assertThat(b.average[j]).isCloseTo(7 * a.average[j], within(1e-12 * Math.abs(b.average[j])));
    }
    assertThat(b.diagnostics.get("log-magnitude"))
        .isCloseTo(Math.log(Math.abs(b.diagnostics.get("magnitude"))), within(1e-13));
  }

  /** Against the mean of the played weights, weighted and summed up directly. */
  @Test
  void polynomialAverageIsTheWeightedMeanOfThePlayedWeights() {
    for (double degree : new double[] {0, 1, 2.5, 3}) {
      var learner = learner(InitialWeights.of(new double[] {1, -2, 0.5}), 1, degree);
      var state = learner.initial();
      Random random = new Random(7);
      Iterate iterate = new Iterate(3);
      double[] sum = new double[3];
      double weights = 0;
      for (int t = 1; t <= 300; t++) {
        TestRounds.publish(learner, state, iterate);
        double weight = Math.pow(t, degree);
        weights += weight;
        for (int j = 0; j < 3; j++) {
          sum[j] += weight * iterate.weights[j];
        }
        run(learner, state, random, 1, 1);
        TestRounds.publish(learner, state, iterate);
        for (int j = 0; j < 3; j++) {
          double mean = sum[j] / weights;
          assertThat(iterate.average[j]).isCloseTo(mean, within(1e-12 * Math.abs(mean) + 1e-13));
        }
      }
    }
  }
}
