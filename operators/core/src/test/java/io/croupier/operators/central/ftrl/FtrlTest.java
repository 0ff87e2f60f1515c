package io.croupier.operators.central.ftrl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.learner.Averaging;
import io.croupier.operators.learner.InitialWeights;
import io.croupier.operators.learner.Iterate;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FtrlTest {
  private static final double NO_RADIUS = Double.POSITIVE_INFINITY;

  @Test
  void withoutExtrasTheWeightsAreTheInitialOnesLessRateTimesSum() {
    Random random = new Random(1);
    double[] start = {1, -2, 0.5, 0};
    var run = ftrl(new FtrlParameters(0.25, 0, NO_RADIUS, 0), start);
    for (int t = 0; t < 10; t++) {
      double[] s = random.doubles(4, -5, 5).toArray();
      run.step(s);
      double[] weights = run.weights();
      for (int i = 0; i < 4; i++) {
        assertThat(weights[i]).isEqualTo(start[i] - 0.25 * s[i]);
      }
    }
  }

  /** The objective is convex: no neighbour in the ball is better, with all terms enabled. */
  @Test
  void theWeightsMinimiseTheDiscountedObjective() {
    Random random = new Random(2);
    for (int i = 0; i < 50; i++) {
      double rate = 0.1 + random.nextDouble();
      double gamma = random.nextDouble();
      double l1 = random.nextDouble();
      double radius = 0.5 + 3 * random.nextDouble();
      double[] start = {random.nextGaussian(), random.nextGaussian()};
      var run = ftrl(new FtrlParameters(rate, gamma, radius, l1), start);
      double[] v = new double[2];
      double charge = 0;
      for (int t = 1; t <= 4; t++) {
        double[] s = {4 * random.nextGaussian(), 4 * random.nextGaussian()};
        run.step(s);
        v[0] = gamma * v[0] + s[0];
        v[1] = gamma * v[1] + s[1];
        charge = gamma * charge + t * l1;
        double[] weights = run.weights();
        assertThat(Math.hypot(weights[0], weights[1])).isLessThanOrEqualTo(radius * (1 + 1e-15));
        double least = objective(weights, v, charge, rate, start);
        for (int k = 0; k < 200; k++) {
          double size = Math.pow(10, -4 * random.nextDouble());
          double[] other = {
            weights[0] + size * random.nextGaussian(), weights[1] + size * random.nextGaussian()
          };
          double norm = Math.hypot(other[0], other[1]);
          if (norm <= radius) {
            assertThat(objective(other, v, charge, rate, start))
                .as("case %d, round %d", i, t)
                .isGreaterThanOrEqualTo(least - 1e-12 * Math.max(1, Math.abs(least)));
          }
        }
      }
    }
  }

  private static double objective(
      double[] theta, double[] v, double charge, double rate, double[] start) {
    double value = 0;
    for (int i = 0; i < theta.length; i++) {
      double moved = theta[i] - start[i];
      value += v[i] * theta[i] + charge * Math.abs(theta[i]) + moved * moved / (2 * rate);
    }
    return value;
  }

  @Test
  void l1LeavesZerosWhereTheSumIsSmall() {
    var run = ftrl(new FtrlParameters(2, 0, NO_RADIUS, 0.5), new double[4]);
    double[] sum = {1.5, -1.5, 1.6, -4};
    for (int t = 0; t < 3; t++) {
      run.step(sum);
    }

    double[] weights = run.weights();
    assertThat(weights[0]).isZero();
    assertThat(weights[1]).isZero();
    assertThat(weights[2]).isCloseTo(-0.2, within(1e-14));
    assertThat(weights[3]).isEqualTo(5);
  }

  @Test
  void initialWeightsOutsideOfTheBallAreScaledIntoIt() {
    var run = ftrl(new FtrlParameters(1, 0, 1, 0), new double[] {3, 4});

    assertThat(run.weights()).containsExactly(new double[] {0.6, 0.8}, within(1e-15));
  }

  @Test
  void aRestartThatContinuesFromTheLastSumChangesNothing() {
    FtrlParameters parameters = new FtrlParameters(0.3, 0.9, NO_RADIUS, 0);
    var run = ftrl(parameters, new double[1]);
    double v = 0;
    double frozen = 0;
    for (int t = 1; t <= 12; t++) {
      double inTree = (t - 1) % 4 + 1;
      double sum = frozen + inTree;
      run.step(sum);
      v = 0.9 * v + sum;
      if (inTree == 4) {
        frozen = sum;
      }
      assertThat(run.weights()[0]).isCloseTo(-0.3 * v, within(1e-12));
    }
  }

  @Test
  void weightsOutOfRangeSaturateAndAreCounted() {
    var run = ftrl(new FtrlParameters(1e200, 0.5, NO_RADIUS, 0), new double[2]);
    run.step(1, -1);
    run.step(-0.5, 0.5);
    Iterate out = run.publish();

    assertThat(out.weights).containsExactly(0, 0);
    assertThat(out.average[0]).isCloseTo(-1e150 / Math.sqrt(2) / 2, within(1e137));
    assertThat(out.diagnostics).containsEntry("saturations", 1.0);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 1, 0, learning_rate",
    "NaN, 0, 1, 0, learning_rate",
    "Infinity, 0, 1, 0, learning_rate",
    "1, -0.1, 1, 0, momentum",
    "1, 1, 1, 0, momentum",
    "1, NaN, 1, 0, momentum",
    "1, 0, 0, 0, radius",
    "1, 0, NaN, 0, radius",
    "1, 0, 1, -1, l1",
    "1, 0, 1, Infinity, l1"
  })
  void parametersOutOfTheirDomainAreNamed(
      double rate, double momentum, double radius, double l1, String field) {
    assertThatThrownBy(() -> new FtrlParameters(rate, momentum, radius, l1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("dp_ftrl." + field + " is ");
  }

  private static PrefixRun<Ftrl.State> ftrl(FtrlParameters parameters, double[] start) {
    return new PrefixRun<>(new Ftrl(parameters, new Averaging(0), InitialWeights.of(start)));
  }
}
