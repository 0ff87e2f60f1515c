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
    assertThat(weighting.next(30)).as("at most twice the mean of 10 and 5").isEqualTo(2);
    assertThat(weighting.relative()).isEqualTo(2);
    assertThat(weighting.next(12)).isCloseTo(1.2, within(1e-15));
    assertThat(weighting.relative()).as("the mean of all is 15").isEqualTo(0.8);
    assertThat(weighting.rounds()).isEqualTo(4);
    assertThat(weighting.unit()).as("15 is above 5/4 of 10, and below 5/4 of 20").isEqualTo(2);
  }

  @Test
  void aBacklogCountsAtMostTwiceAndDoublesTheMean() {
    RoundWeighting weighting = new RoundWeighting();
    for (int i = 0; i < 100; i++) {
      assertThat(weighting.next(10)).isEqualTo(1);
    }
    assertThat(weighting.next(1e9)).isEqualTo(2);
    assertThat(weighting.isUnitNew()).isTrue();
    assertThat(weighting.unit()).isEqualTo(2);
    assertThat(weighting.next(10)).isEqualTo(1);
    assertThat(weighting.relative()).isEqualTo(0.5);
    assertThat(weighting.isUnitNew()).isFalse();
  }

  /** Where a model begins with a few reports, rounds soon count as they have reports. */
  @Test
  void earlySmallRoundsSoonCountForLittle() {
    RoundWeighting weighting = new RoundWeighting();
    double early = 0;
    for (int i = 0; i < 6; i++) {
      early += weighting.next(1);
    }
    double last = 0;
    double total = 0;
    for (int i = 0; i < 20; i++) {
      last = weighting.next(2000);
      total += last;
    }
    assertThat(last).as("lambda, in reports").isEqualTo(2000);
    assertThat(early / total).isLessThan(0.0005);
    assertThat(weighting.unit()).isEqualTo(2048);
  }

  /** A rush in the first round loses its weight like any other: u falls, and m stays. */
  @Test
  void aRushInTheFirstRoundDoesntTakeOver() {
    RoundWeighting weighting = new RoundWeighting();
    double first = weighting.next(100_000);
    double others = 0;
    for (int i = 0; i < 300; i++) {
      others += weighting.next(100);
    }
    assertThat(first / others).isLessThan(0.03);
    for (int i = 0; i < 100_000; i++) {
      weighting.next(100);
    }
    assertThat(weighting.next(100)).isBetween(0.98, 1.0);
    assertThat(weighting.unit()).isEqualTo(1);
  }

  /** The mean of all reports bounds u, so that bursts don't raise it without end. */
  @Test
  void burstsRaiseTheMeanAsFarAsThatOfAllReports() {
    RoundWeighting weighting = new RoundWeighting();
    for (int burst = 0; burst < 1000; burst++) {
      for (int i = 0; i < 10; i++) {
        weighting.next(30);
      }
      assertThat(weighting.next(1000)).as("burst %d", burst).isLessThan(2 * 120 / 30.0);
    }
    assertThat(weighting.unit()).isEqualTo(4);
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
    TestRounds.Weighting expected = new TestRounds.Weighting();
    SplittableRandom random = new SplittableRandom(3);
    double before = 0;
    for (int k = 0; k < 1000; k++) {
      double weight = Math.pow(10, random.nextDouble(-3, 6));
      double lambda = expected.next(weight);
      assertThat(weighting.next(weight)).isCloseTo(lambda, within(1e-12 * lambda));
      double alpha = lambda * Math.pow(expected.total, degree);
      assertThat(weighting.decay(averaging))
          .isCloseTo(before / alpha, within(1e-9 * (before / alpha) + 1e-300));
      before = alpha;
    }
  }
}
