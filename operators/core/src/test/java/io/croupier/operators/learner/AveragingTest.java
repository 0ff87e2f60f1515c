package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class AveragingTest {

  /**
   * The sum of the weights up to T = 10^7 exceeds 10^348; the mean of t / T is 50/51 (1 + 1/2T).
   */
  @Test
  void weightsBeyondDoublesDoNotOverflow() {
    Averaging averaging = new Averaging(49);
    RunningAverage average = new RunningAverage(1);
    double rounds = 1e7;
    for (long t = 1; t <= rounds; t++) {
      average.advance(averaging.decay(t));
      average.recent[0] += average.gain() * (t / rounds - average.recent[0]);
    }
    double[] mean = new double[1];
    average.copy(mean);
    assertThat(mean[0]).isCloseTo(50.0 / 51 * (1 + 1 / (2 * rounds)), within(1e-10));
  }

  @Test
  void uniformGainsAreExact() {
    Averaging averaging = new Averaging(0);
    RunningAverage average = new RunningAverage(1);
    for (long t = 1; t <= RunningAverage.BLOCK; t++) {
      average.advance(averaging.decay(t));
      assertThat(average.gain()).isEqualTo(1.0 / t);
    }
  }

  @Test
  void refusesInvalidDegrees() {
    for (double degree : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> new Averaging(degree))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("averaging.polynomial.degree");
    }
  }
}
