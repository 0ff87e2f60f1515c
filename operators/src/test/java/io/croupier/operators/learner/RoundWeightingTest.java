package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoundWeightingTest {

  @Test
  void usageExample() {
    RoundWeighting weighting = new RoundWeighting();
    assertThat(weighting.next(10)).as("the first round").isEqualTo(1);
    assertThat(weighting.next(5)).isEqualTo(0.5);
    assertThat(weighting.next(15)).as("twice the mean of 10 and 5").isEqualTo(2);
    assertThat(weighting.next(10)).isEqualTo(1);
    assertThat(weighting.rounds()).isEqualTo(4);
    assertThat(weighting.newest()).isEqualTo(1);
  }

  @Test
  void aBacklogCountsAtMostTwice() {
    RoundWeighting weighting = new RoundWeighting();
    for (int i = 0; i < 100; i++) {
      assertThat(weighting.next(10)).isEqualTo(1);
    }
    assertThat(weighting.next(1e9)).isEqualTo(2);
    assertThat(weighting.next(1e9)).isEqualTo(2);
  }

  /** Rounds of one report: the k-th has k^p in the average. */
  @ParameterizedTest
  @ValueSource(doubles = {0, 1, 3})
  void equalRoundsHaveThePowersOfTheirNumbers(double degree) {
    Averaging averaging = new Averaging(degree);
    RoundWeighting weighting = new RoundWeighting();
    weighting.next(7);
    assertThat(weighting.decay(averaging)).isZero();
    for (int k = 2; k < 5000; k++) {
      weighting.next(7);
      assertThat(weighting.decay(averaging))
          .isCloseTo(Math.pow((k - 1.0) / k, degree), within(1e-13));
    }
  }

  /** Against lambda Lambda^p computed directly. */
  @ParameterizedTest
  @ValueSource(doubles = {0, 1, 3})
  void unequalRoundsHaveTheirWeights(double degree) {
    Averaging averaging = new Averaging(degree);
    RoundWeighting weighting = new RoundWeighting();
    SplittableRandom random = new SplittableRandom(3);
    double reports = 0;
    double total = 0;
    double before = 0;
    for (int k = 0; k < 1000; k++) {
      double weight = Math.pow(10, random.nextDouble(-3, 6));
      double lambda = k == 0 ? 1 : Math.min(2, weight / (reports / k));
      assertThat(weighting.next(weight)).isCloseTo(lambda, within(1e-12 * lambda));
      reports += weight;
      total += lambda;
      double alpha = lambda * Math.pow(total, degree);
      assertThat(weighting.decay(averaging))
          .isCloseTo(before / alpha, within(1e-9 * (before / alpha) + 1e-300));
      before = alpha;
    }
  }
}
