package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.math.Vectors;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BlackBoxTest extends LearnerContract<ProductLearner.State> {
  @Override
  Learner<ProductLearner.State> learner(InitialWeights initialWeights, double gradientBound) {
    return learner(initialWeights, 1, 0);
  }

  private static ProductLearner learner(
      InitialWeights initialWeights, double wealth, double degree) {
    return TestLearners.product(
        TestLearners.bettor(new Prior.Improper(), wealth), degree, initialWeights);
  }

  @Test
  void wealthMultipliesEveryPrediction() {
    var one = new TestRun<>(learner(InitialWeights.zero(3), 1, 0));
    var seven = new TestRun<>(learner(InitialWeights.zero(3), 7, 0));
    run(one, new Random(6), 50, 1);
    run(seven, new Random(6), 50, 1);
    Iterate a = one.publish();
    Iterate b = seven.publish();
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
      var run = new TestRun<>(learner(InitialWeights.of(new double[] {1, -2, 0.5}), 1, degree));
      Random random = new Random(7);
      double[] sum = new double[3];
      double weights = 0;
      for (int t = 1; t <= 300; t++) {
        double weight = Math.pow(t, degree);
        weights += weight;
        Vectors.addScaled(weight, run.publish().weights, sum);
        run(run, random, 1, 1);
        double[] average = run.publish().average;
        for (int j = 0; j < 3; j++) {
          double mean = sum[j] / weights;
          assertThat(average[j]).isCloseTo(mean, within(1e-12 * Math.abs(mean) + 1e-13));
        }
      }
    }
  }
}
