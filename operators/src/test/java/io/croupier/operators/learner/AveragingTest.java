package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class AveragingTest {

  /**
   * The sum of t^p to T is about T^(p+1) / (p+1) (1 + (p+1) / 2T): beyond 1e348 for T = 1e7, p =
   * 49.
   */
  @Test
  void weightsThatNoDoubleHoldsDoNotOverflow() {
    Averaging averaging = new Averaging(49);
    RunningAverage average = new RunningAverage(1);
    long rounds = 10_000_000;
    for (long t = 1; t <= rounds; t++) {
      average.advance(averaging.decay(t));
    }
    assertThat(average.gain())
        .isCloseTo(50.0 / rounds / (1 + 25.0 / rounds), within(1e-9 * 50 / rounds));
  }

  @Test
  void uniformGainsAreExact() {
    Averaging averaging = new Averaging(0);
    RunningAverage average = new RunningAverage(1);
    for (long t = 1; t <= 100_000; t++) {
      average.advance(averaging.decay(t));
      assertThat(average.gain()).isEqualTo(1.0 / t);
    }
  }

  @Test
  void refusesDegreesThatAreNone() {
    for (double degree : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> new Averaging(degree))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("averaging.polynomial.degree");
    }
  }
}
