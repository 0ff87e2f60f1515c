package io.croupier.cli.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.client.loss.AbsoluteLoss;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NamedLossTest {
  private static final int PEOPLE = 50;
  private static final int D = 4;
  private static final double BOUND = 0.75;
  private static final double SCALE = 0.5;
  private static final int CLASSES = 3;

  /** Rows of lengths from 0.01 to 100, residuals far beyond the scale. */
  private static Problem problem(NamedLoss loss, Random random) {
    double[] features = new double[PEOPLE * D];
    double[] targets = new double[PEOPLE];
    for (int i = 0; i < PEOPLE; i++) {
      double length = Math.pow(10, random.nextDouble(-2, 2));
      for (int j = 0; j < D; j++) {
        features[i * D + j] = length * random.nextGaussian();
      }
      targets[i] = target(loss, random);
    }
    return loss.problem(features, targets, CLASSES, BOUND, SCALE);
  }

  private static double target(NamedLoss loss, Random random) {
    return switch (loss) {
      case LOGISTIC -> random.nextInt(2);
      case SOFTMAX -> random.nextInt(CLASSES);
      case SQUARED, ABSOLUTE, HUBER_MALLOWS -> 3 * random.nextGaussian();
    };
  }

  @ParameterizedTest
  @EnumSource
  void gradientsAgreeWithFiniteDifferences(NamedLoss loss) {
    Random random = new Random(11);
    double step = 1e-6;
    for (int i = 0; i < PEOPLE; i++) {
      double[] row = random.doubles(D, -2, 2).toArray();
      double[] targets = {target(loss, random)};
      Problem problem = loss.problem(row, targets, CLASSES, BOUND, SCALE);
      double[] weights = random.doubles(problem.dimension(), -1, 1).toArray();
      double[] gradient = new double[weights.length];
      problem.gradient(0, weights, gradient);
      // The loss of one person is divided by their weight, but the gradient is not.
      double weight = loss == NamedLoss.HUBER_MALLOWS ? Math.min(1, BOUND / 1.345 / norm(row)) : 1;
      for (int j = 0; j < weights.length; j++) {
        double[] above = weights.clone();
        double[] below = weights.clone();
        above[j] += step;
        below[j] -= step;
        double slope = (problem.loss(above) - problem.loss(below)) / (2 * step);
        assertThat(gradient[j]).isCloseTo(weight * slope, within(1e-5));
      }
    }
  }

  @Test
  void huberWithMallowsWeightsIsNoLongerThanTheModelsBoundAndReachesIt() {
    Random random = new Random(12);
    Problem problem = problem(NamedLoss.HUBER_MALLOWS, random);
    double longest = 0;
    for (double size : new double[] {0, 1, 1e3, 1e100}) {
      double[] weights = random.doubles(D, -size, Math.nextUp(size)).toArray();
      for (int i = 0; i < PEOPLE; i++) {
        double[] gradient = new double[D];
        problem.gradient(i, weights, gradient);
        longest = Math.max(longest, norm(gradient));
      }
    }
    assertThat(longest).isCloseTo(BOUND, within(1e-12));
    assertThat(problem.gradientBound()).isCloseTo(BOUND, within(1e-12));
  }

  @Test
  void squaresHaveNoBound() {
    assertThat(problem(NamedLoss.SQUARED, new Random(13)).gradientBound()).isInfinite();
  }

  @Test
  void theAbsoluteLossIsFlatWhereThePredictionIsRight() {
    AbsoluteLoss loss = new AbsoluteLoss();

    assertThat(loss.slope(2, 2)).isZero();
    assertThat(loss.slope(2, 1)).isEqualTo(1);
    assertThat(loss.slope(-2, 1)).isEqualTo(-1);
    assertThat(loss.value(-2, 1)).isEqualTo(3);
    assertThat(loss.curvature(2, 1)).isZero();
  }

  private static double norm(double[] vector) {
    double norm = 0;
    for (double value : vector) {
      norm = Math.hypot(norm, value);
    }
    return norm;
  }
}
