package io.croupier.studies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares excess risks with means of losses over people. Seeds are fixed. */
class LossTest {
  private static final int DRAWS = 200_000;
  private static final double[] BEST = {-2, -0.3, 0, 0.05, 0.7, 1.5};

  @ParameterizedTest
  @EnumSource
  void bestPredictionsHaveNoExcessAndOthersSome(Loss loss) {
    for (double best : BEST) {
      assertThat(loss.excess(best, best)).isCloseTo(0, within(1e-15));
      for (double off = 0.01; off < 8; off *= 2) {
        assertThat(loss.excess(best, best + off)).isGreaterThanOrEqualTo(0);
        assertThat(loss.excess(best, best - off)).isGreaterThanOrEqualTo(0);
      }
    }
  }

  /** Slopes lie in [-1, 1], so 4 standard errors of the mean are at most 0.01. */
  @ParameterizedTest
  @EnumSource
  void theDerivativeOfTheExcessIsTheExpectedSlope(Loss loss) {
    SeededRandom random = new SeededRandom(3);
    double h = 1e-5;
    for (double best : BEST) {
      for (double prediction : new double[] {best, best + 0.07, best - 0.4, best + 1.3}) {
        double sum = 0;
        for (int i = 0; i < DRAWS; i++) {
          double slope = loss.slope(prediction, loss.target(random, best));
          sum += slope;
        }
        double derivative =
            (loss.excess(best, prediction + h) - loss.excess(best, prediction - h)) / (2 * h);
        assertThat(sum / DRAWS)
            .as("%s at %s, best %s", loss, prediction, best)
            .isCloseTo(derivative, within(0.01));
      }
    }
  }
}
