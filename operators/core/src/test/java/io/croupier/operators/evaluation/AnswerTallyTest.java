package io.croupier.operators.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.ResponseLaw;
import io.croupier.operators.learner.StateChunks;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerTallyTest {
  private static final int RUNS = 2000;

  private static double strength(double epsilon) {
    return ResponseLaw.ofEpsilon(epsilon).strength();
  }

  @Test
  void anEmptyTallyEstimatesNothing() {
    AnswerTally tally = AnswerTally.lasting();
    assertThat(tally.estimate()).isEmpty();
    assertThat(tally.size()).isZero();
    tally.age();
    tally.add(0, 0);
    tally.add(1e-200, 0);
    assertThat(tally.estimate()).isEmpty();
  }

  /** 7 of 10 without randomisation: the interval is Wilson's, by its textbook formula in Python. */
  @Test
  void withoutNoiseTheIntervalIsWilsons() {
    AnswerTally tally = AnswerTally.lasting();
    for (int i = 0; i < 10; i++) {
      tally.add(i < 7 ? 1 : -1, 0);
    }
    FractionEstimate estimate = tally.estimate().orElseThrow();
    assertThat(estimate.fraction()).isCloseTo(0.7, within(1e-15));
    assertThat(estimate.standardError()).isCloseTo(Math.sqrt(0.7 * 0.3 / 10), within(1e-15));
    assertThat(estimate.low()).isCloseTo(0.396778147461145, within(1e-13));
    assertThat(estimate.high()).isCloseTo(0.892208732593699, within(1e-13));
    assertThat(estimate.answers()).isEqualTo(10);
  }

  @Test
  void theIntervalContainsTheEstimateAtTheEnds() {
    for (int answers = 1; answers <= 50; answers++) {
      AnswerTally all = AnswerTally.lasting();
      AnswerTally none = AnswerTally.lasting();
      for (int i = 0; i < answers; i++) {
        all.add(1, i);
        none.add(-1, i);
      }
      assertThat(all.estimate().orElseThrow().high()).isEqualTo(1);
      assertThat(all.estimate().orElseThrow().low()).isBetween(0.05, 0.999);
      assertThat(none.estimate().orElseThrow().low()).isZero();
      assertThat(none.estimate().orElseThrow().high()).isBetween(0.001, 0.95);
    }
  }

  /**
   * Far more yes than randomisation allows: no fraction fits, but the interval still has a width.
   */
  @Test
  void anImpossibleMeanHasAnIntervalAtTheEnd() {
    AnswerTally tally = AnswerTally.lasting();
    for (int i = 0; i < 400; i++) {
      tally.add(strength(1), 0);
    }
    FractionEstimate estimate = tally.estimate().orElseThrow();
    assertThat(estimate.fraction()).isGreaterThan(1.5);
    assertThat(estimate.high()).isEqualTo(1);
    assertThat(estimate.low()).isBetween(0.8, 0.999);
    assertThat(estimate.standardError()).isPositive();
  }

  /**
   * People of several levels who answer about 100 publications, 3 each, under a model that doesn't
   * change. The seed is fixed; with random ones, the mean of the errors would fail by chance with
   * probability 1e-6 (4.9 standard deviations), the mean of the squares with about 1e-6, and the
   * coverage of an interval of exactly 95 % with 4e-5.
   */
  @ParameterizedTest
  @ValueSource(doubles = {0.03, 0.27, 0.5, 0.73, 0.97})
  void isWithoutBiasAndCoversTheTruth(double truth) {
    SplittableRandom random = new SplittableRandom(Math.round(1000 * truth));
    double[] strengths = {strength(0.5), strength(1), strength(4), ResponseLaw.ofMu(1).strength()};
    int covered = 0;
    double errors = 0;
    double squares = 0;
    double variances = 0;
    for (int run = 0; run < RUNS; run++) {
      AnswerTally tally = AnswerTally.lasting();
      for (int publication = 0; publication < 100; publication++) {
        tally.age();
        for (int person = 0; person < 3; person++) {
          double h = strengths[random.nextInt(strengths.length)];
          tally.add(response(truth, h, random), random.nextInt(3));
        }
      }
      FractionEstimate estimate = tally.estimate().orElseThrow();
      covered += contains(tally, truth) ? 1 : 0;
      double error = estimate.fraction() - truth;
      errors += error;
      squares += error * error;
      variances += estimate.standardError() * estimate.standardError();
    }
    double deviation = Math.sqrt(squares / RUNS);
    assertThat(errors / RUNS).isCloseTo(0, within(4.9 * deviation / Math.sqrt(RUNS)));
    assertThat(squares / variances).isCloseTo(1, within(4.9 * Math.sqrt(2.0 / RUNS)));
    assertThat((double) covered / RUNS).isBetween(0.93, 0.97);
  }

  /** The randomised answer of a person whose true answer is yes with the given probability. */
  private static double response(double truth, double strength, SplittableRandom random) {
    boolean yes = random.nextDouble() < truth;
    boolean keeps = random.nextDouble() < (1 + strength) / 2;
    return yes == keeps ? strength : -strength;
  }

  /** Few answers of one level, at which an interval by the standard error alone covers less. */
  @ParameterizedTest
  @CsvSource({"20, 1, 0.73", "40, 2, 0.9", "100, 1, 0.5", "200, 2, 0.73", "1000, 0.5, 0.95"})
  void coversTheTruthWithFewAnswers(int answers, double epsilon, double truth) {
    SplittableRandom random = new SplittableRandom(answers);
    double h = strength(epsilon);
    int covered = 0;
    for (int run = 0; run < RUNS; run++) {
      AnswerTally tally = AnswerTally.lasting();
      for (int i = 0; i < answers; i++) {
        tally.add(response(truth, h, random), 0);
      }
      covered += contains(tally, truth) ? 1 : 0;
    }
    assertThat((double) covered / RUNS).isBetween(0.93, 0.97);
  }

  /** Not sampled: the probabilities of all numbers of yes whose interval contains the truth. */
  @ParameterizedTest
  @CsvSource({"20, 0.927, 0.984", "50, 0.933, 0.978", "300, 0.943, 0.958"})
  void coversTheTruthAsDocumented(int answers, double least, double most) {
    double smallest = 1;
    double largest = 0;
    for (double epsilon : new double[] {0.5, 1, 2}) {
      double h = strength(epsilon);
      FractionEstimate[] estimates = new FractionEstimate[answers + 1];
      for (int yes = 0; yes <= answers; yes++) {
        AnswerTally tally = AnswerTally.lasting();
        for (int i = 0; i < answers; i++) {
          tally.add(i < yes ? h : -h, 0);
        }
        estimates[yes] = tally.estimate().orElseThrow();
      }
      for (int percent = 50; percent <= 95; percent++) {
        double truth = percent / 100.0;
        double p = (1 + h * (2 * truth - 1)) / 2;
        double covered = 0;
        double logarithm = answers * Math.log1p(-p);
        for (int yes = 0; yes <= answers; yes++) {
          if (estimates[yes].low() <= truth && truth <= estimates[yes].high()) {
            covered += Math.exp(logarithm);
          }
          logarithm += Math.log((answers - yes) * p / ((yes + 1) * (1 - p)));
        }
        smallest = Math.min(smallest, covered);
        largest = Math.max(largest, covered);
      }
    }
    assertThat(smallest).isBetween(least, least + 0.001);
    assertThat(largest).isBetween(most - 0.001, most);
  }

  /** A model that improves: the estimate follows it within the stated 44 publications. */
  @Test
  void forgetsOldPublications() {
    FractionEstimate estimate = afterATurn(AnswerTally.lasting(), 44);
    assertThat(estimate.fraction()).isCloseTo(0.5, within(0.001));
    // (1 + 63/64) / (1 - 63/64)
    assertThat(estimate.answers()).isEqualTo(127);
  }

  /** Each publication has one answer, the last ones another than those before. */
  private static FractionEstimate afterATurn(AnswerTally tally, int publications) {
    for (int publication = 0; publication < 1000 + publications; publication++) {
      tally.age();
      tally.add(publication < 1000 ? -1 : 1, 0);
    }
    return tally.estimate().orElseThrow();
  }

  @Test
  void aRecentTallyFollowsWithinTenPublications() {
    FractionEstimate estimate = afterATurn(AnswerTally.recent(), 10);
    assertThat(estimate.fraction()).isCloseTo(0.5, within(0.005));
    // (1 + 239/256) / (1 - 239/256)
    assertThat(estimate.answers()).isEqualTo(29);
  }

  /**
   * An accuracy that rises from 0.5 to 0.8 over 100 publications: the interval of the recent tally
   * contains the newest one far more often. The seed is fixed.
   */
  @Test
  void theRecentIntervalFollowsAnImprovingModel() {
    SplittableRandom random = new SplittableRandom(5);
    double h = strength(2);
    int lasting = 0;
    int recent = 0;
    for (int run = 0; run < RUNS; run++) {
      AnswerTally slow = AnswerTally.lasting();
      AnswerTally fast = AnswerTally.recent();
      for (int publication = 0; publication <= 100; publication++) {
        slow.age();
        fast.age();
        for (int person = 0; person < 3; person++) {
          double answer = response(0.5 + 0.003 * publication, h, random);
          slow.add(answer, 0);
          fast.add(answer, 0);
        }
      }
      lasting += contains(slow, 0.8) ? 1 : 0;
      recent += contains(fast, 0.8) ? 1 : 0;
    }
    // lab/studies/results/counting.md states these fractions.
    assertThat((double) lasting / RUNS).isBetween(0.15, 0.19);
    assertThat((double) recent / RUNS).isBetween(0.87, 0.91);
  }

  private static boolean contains(AnswerTally tally, double truth) {
    FractionEstimate estimate = tally.estimate().orElseThrow();
    return estimate.low() <= truth && truth <= estimate.high();
  }

  @Test
  void aStaleAnswerCountsAsAnAgedOne() {
    AnswerTally aged = AnswerTally.lasting();
    aged.add(0.5, 0);
    AnswerTally stale = AnswerTally.lasting();
    for (int i = 0; i < 5; i++) {
      aged.age();
    }
    stale.add(0.5, 5);
    aged.add(-0.25, 0);
    stale.add(-0.25, 0);
    assertThat(stale.estimate()).isEqualTo(aged.estimate());
  }

  @Test
  void isEmptyAgainAfterManyPublications() {
    assertThat(publicationsUntilEmpty(AnswerTally.lasting())).isEqualTo(878);
    assertThat(publicationsUntilEmpty(AnswerTally.recent())).isEqualTo(202);
  }

  private static int publicationsUntilEmpty(AnswerTally tally) {
    tally.add(0.5, 0);
    int publications = 0;
    while (tally.estimate().isPresent()) {
      tally.age();
      publications++;
    }
    assertThat(tally.size()).isZero();
    return publications;
  }

  @Test
  void isRestoredBitForBit() {
    SplittableRandom random = new SplittableRandom(4);
    AnswerTally tally = AnswerTally.lasting();
    Map<String, byte[]> chunks = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      tally.add(random.nextDouble(-1, 1), random.nextInt(5));
      tally.age();
    }
    tally.visit("answers-of-a", StateChunks.writer(chunks::put));
    AnswerTally restored = AnswerTally.lasting();
    restored.visit("answers-of-a", StateChunks.reader(chunks::get));
    assertThat(restored.estimate()).isEqualTo(tally.estimate());
    assertThat(chunks.keySet()).containsExactly("answers-of-a/0");
  }
}
