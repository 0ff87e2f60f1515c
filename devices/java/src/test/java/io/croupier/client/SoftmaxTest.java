package io.croupier.client;

import static io.croupier.noise.Refusals.assertRefusedWith;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SoftmaxTest {
  private static final int CLASSES = 4;
  private static final int D = 3;

  @Test
  void theGradientIsTheDerivativeOfTheLoss() {
    Random random = new Random(1);
    double step = 1e-6;
    for (int n = 0; n < 200; n++) {
      double[] weights = random.doubles(CLASSES * D, -2, 2).toArray();
      double[] x = random.doubles(D, -2, 2).toArray();
      int label = random.nextInt(CLASSES);
      double[] gradient = Softmax.gradient(weights, x, label);
      for (int j = 0; j < weights.length; j++) {
        double[] above = weights.clone();
        double[] below = weights.clone();
        above[j] += step;
        below[j] -= step;
        double slope =
            (Softmax.loss(Softmax.scores(above, x), label)
                    - Softmax.loss(Softmax.scores(below, x), label))
                / (2 * step);
        assertThat(gradient[j]).isCloseTo(slope, within(1e-8));
      }
      assertThat(Sizes.norm(gradient)).isLessThanOrEqualTo(Math.sqrt(2) * Sizes.norm(x));
    }
  }

  @Test
  void twoClassesAreTheLogisticLoss() {
    for (double p : new double[] {-800, -30, -1, 0, 1e-9, 2, 30, 800}) {
      double loss = Math.max(-p, 0) + Math.log1p(Math.exp(-Math.abs(p)));
      assertThat(Softmax.loss(new double[] {p, 0}, 0)).isCloseTo(loss, within(1e-15 * (1 + loss)));
      assertThat(Softmax.slopes(new double[] {p, 0}, 0)[0])
          .isCloseTo(-1 / (1 + Math.exp(p)), within(1e-15));
    }
  }

  /** The sum of exponentials would overflow, and 1 - p would be 0. */
  @Test
  void extremeScoresLoseNoDigits() {
    double[] scores = {1e300, 0, -1e300};
    assertThat(Softmax.loss(scores, 0)).isZero();
    assertThat(Softmax.loss(scores, 1)).isEqualTo(1e300);
    assertThat(Softmax.probabilities(scores)).containsExactly(1, 0, 0);
    double[] slopes = Softmax.slopes(new double[] {50, 0}, 0);
    assertThat(slopes[0]).isCloseTo(-Math.exp(-50), within(1e-30)).isEqualTo(-slopes[1]);
  }

  @Test
  void probabilitiesAddUpAndTheFirstOfEqualScoresIsPredicted() {
    Random random = new Random(2);
    for (int n = 0; n < 100; n++) {
      double[] scores = random.doubles(CLASSES, -50, 50).toArray();
      double[] probabilities = Softmax.probabilities(scores);
      assertThat(Arrays.stream(probabilities).sum()).isCloseTo(1, within(1e-15));
      assertThat(probabilities[Softmax.predicted(scores)])
          .isEqualTo(Arrays.stream(probabilities).max().getAsDouble());
    }
    assertThat(Softmax.predicted(new double[] {-1, 3, 3})).isEqualTo(1);
  }

  @Test
  void weightsMustBeThoseOfAtLeastTwoClasses() {
    for (int weights : new int[] {0, 3, 4, 5, 7}) {
      assertRefusedWith(
          () -> Softmax.scores(new double[weights], new double[3]),
          "there are %d weights and 3 features".formatted(weights));
    }
    assertThatThrownBy(() -> Softmax.scores(new double[2], new double[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
