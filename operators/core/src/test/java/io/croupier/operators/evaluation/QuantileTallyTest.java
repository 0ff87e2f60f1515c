package io.croupier.operators.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.learner.StateChunks;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantileTallyTest {
  private static final double[] LEVELS = {0.5, 0.95};
  private static final double[] EPSILONS = {0.5, 1, 2, 4};

  /** People with values of a distribution, who answer about the newest threshold. */
  private static final class People {
    private final SplittableRandom random;
    private final DoubleUnaryOperator quantile;

    People(long seed, DoubleUnaryOperator quantile) {
      random = new SplittableRandom(seed);
      this.quantile = quantile;
    }

    void answer(QuantileTally tally, int answers) {
      for (int i = 0; i < answers; i++) {
        double h = Math.tanh(EPSILONS[random.nextInt(EPSILONS.length)] / 2);
        boolean isAbove = quantile.applyAsDouble(random.nextDouble()) > tally.threshold();
        boolean isKept = random.nextDouble() < (1 + h) / 2;
        tally.add(isAbove == isKept ? h : -h, 0);
      }
    }

    void publish(QuantileTally tally, int publications, int answers) {
      for (int i = 0; i < publications; i++) {
        answer(tally, answers);
        tally.age();
      }
    }
  }

  private static DoubleUnaryOperator distribution(String name) {
    return switch (name) {
      case "uniform" -> u -> u;
      case "exponential" -> u -> Math.min(1, -0.08 * Math.log1p(-u));
      case "logistic" -> u -> Math.max(0, Math.min(1, 0.4 + 0.05 * Math.log(u / (1 - u))));
      case "far" -> u -> 0.0211 + 0.0007 * u;
      // Whole minutes of a day.
      default -> u -> Math.floor(-60 * Math.log1p(-u)) / 1440;
    };
  }

  @Test
  void anEmptyTallyAsksAndEstimatesNothing() {
    QuantileTally tally = new QuantileTally(LEVELS);
    assertThat(tally.threshold()).isCloseTo(0.5 - 0.35 * 0.5, within(1.0 / (1 << 16)));
    assertThat(tally.estimates()).isEmpty();
    assertThat(tally.answers()).isZero();
    // A level has two publications, then the next one has.
    // The second turn of a level asks farther out.
    double[] thresholds = {0.675, 0.9325, 0.9675, 0.15, 0.85, 0.915, 0.985, 0.325};
    for (double threshold : thresholds) {
      tally.age();
      assertThat(tally.threshold()).isCloseTo(threshold, within(1.0 / (1 << 16)));
    }
  }

  @Test
  void anAnswerWithoutInformationChangesNothing() {
    QuantileTally tally = new QuantileTally(LEVELS);
    assertThat(tally.add(0, 0)).isTrue();
    assertThat(tally.estimates()).isEmpty();
  }

  /**
   * Two thresholds by hand: a third of the values is below 0.325, and two thirds are below 0.675.
   */
  @Test
  void theEstimateIsWhereTheLineCrossesTheLevel() {
    QuantileTally tally = new QuantileTally(new double[] {0.5});
    tally.age();
    for (int i = 0; i < 150; i++) {
      tally.add(i % 3 == 0 ? -1 : 1, 1);
      tally.add(i % 3 == 0 ? 1 : -1, 0);
    }
    QuantileEstimate estimate = tally.estimates().get(0);
    // The older publication has a little less weight, which doesn't matter on a line of two points.
    assertThat(estimate.value()).isCloseTo(0.5, within(1e-4));
    // At both, the fraction differs from 1/2 by four standard errors.
    assertThat(estimate.low()).isCloseTo(0.325, within(1e-4));
    assertThat(estimate.high()).isCloseTo(0.675, within(1e-4));
    assertThat(tally.answers()).isEqualTo(300);
  }

  /** Seeded. A few hundred answers a publication, wherever the values are in the range. */
  @ParameterizedTest
  @CsvSource({
    "uniform, 0.03, 0.03",
    "exponential, 0.01, 0.06",
    "logistic, 0.01, 0.06",
    "far, 0.0001, 0.002",
    "minutes, 0.003, 0.04"
  })
  void convergesToTheQuantiles(String name, double ofMedian, double ofTail) {
    DoubleUnaryOperator quantile = distribution(name);
    QuantileTally tally = new QuantileTally(LEVELS);
    new People(11, quantile).publish(tally, 250, 300);
    List<QuantileEstimate> estimates = tally.estimates();
    assertThat(estimates.get(0).value()).isCloseTo(quantile.applyAsDouble(0.5), within(ofMedian));
    assertThat(estimates.get(1).value()).isCloseTo(quantile.applyAsDouble(0.95), within(ofTail));
  }

  /** Seeded. One threshold has no slope, whatever rounding makes of its mean. */
  @Test
  void intervalsOfOneThresholdAreLong() {
    for (long seed = 0; seed < 1000; seed++) {
      QuantileTally tally = new QuantileTally(LEVELS);
      new People(seed, u -> u).answer(tally, 60);
      for (QuantileEstimate estimate : tally.estimates()) {
        assertThat(estimate.high() - estimate.low()).as("seed %d", seed).isGreaterThan(0.05);
      }
    }
  }

  /** Seeded. The people's values double; the interval excludes the former median. */
  @Test
  void followsPeopleWhoChange() {
    QuantileTally tally = new QuantileTally(LEVELS);
    new People(3, u -> 0.3 * u).publish(tally, 200, 200);
    assertThat(tally.estimates().get(0).value()).isCloseTo(0.15, within(0.01));
    new People(4, u -> 0.6 * u).publish(tally, 300, 200);
    assertThat(tally.estimates().get(0).value()).isCloseTo(0.3, within(0.02));
    assertThat(tally.estimates().get(0).low()).isGreaterThan(0.15);
  }

  /** Seeded: 2,000 runs at mixed levels, after 40 and after 300 publications of 100 answers. */
  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"exponential", "uniform", "logistic"})
  void intervalsContainTheQuantile(String name) {
    int runs = 2000;
    DoubleUnaryOperator quantile = distribution(name);
    int[][] hits = new int[2][LEVELS.length];
    for (int run = 0; run < runs; run++) {
      QuantileTally tally = new QuantileTally(LEVELS);
      People people = new People(1000 + run, quantile);
      for (int when = 0; when < 2; when++) {
        people.publish(tally, when == 0 ? 40 : 260, 100);
        List<QuantileEstimate> estimates = tally.estimates();
        for (int i = 0; i < LEVELS.length; i++) {
          double truth = quantile.applyAsDouble(LEVELS[i]);
          boolean isIn = estimates.get(i).low() <= truth && truth <= estimates.get(i).high();
          hits[when][i] += isIn ? 1 : 0;
        }
      }
    }
    for (int[] ofTime : hits) {
      for (int hit : ofTime) {
        assertThat((double) hit / runs).as(Arrays.deepToString(hits)).isGreaterThan(0.97);
      }
    }
  }

  @Test
  void intervalsAreWithinTheRangeAndContainTheEstimate() {
    SplittableRandom random = new SplittableRandom(5);
    for (int run = 0; run < 300; run++) {
      QuantileTally tally = new QuantileTally(LEVELS);
      // Answers that depend on nothing, and few of them.
      for (int i = 0; i < 20; i++) {
        int answers = random.nextInt(3);
        for (int j = 0; j < answers; j++) {
          tally.add(random.nextBoolean() ? 0.3 : -0.3, Math.min(i, random.nextInt(3)));
        }
        for (QuantileEstimate each : tally.estimates()) {
          assertThat(each.low()).isBetween(0.0, each.value());
          assertThat(each.high()).isBetween(each.value(), 1.0);
        }
        assertThat(tally.threshold()).isGreaterThan(0).isLessThan(1);
        tally.age();
      }
    }
  }

  @Test
  void aLateAnswerIsAboutTheThresholdOfItsPublication() {
    QuantileTally tally = new QuantileTally(new double[] {0.5});
    assertThat(tally.add(1, 1)).as("there is no earlier publication").isFalse();
    for (int i = 0; i < 100; i++) {
      tally.add(i % 2 == 0 ? 0.9 : -0.9, 0);
    }
    tally.age();
    double upper = tally.threshold();
    QuantileTally late = new QuantileTally(new double[] {0.5});
    late.age();
    for (int i = 0; i < 100; i++) {
      late.add(i % 2 == 0 ? 0.9 : -0.9, 1);
    }
    assertThat(late.estimates()).isEqualTo(tally.estimates());
    assertThat(late.threshold()).as("was chosen before the answers").isNotEqualTo(upper);
    for (int i = 0; i < QuantileTally.KEPT; i++) {
      late.age();
    }
    assertThat(late.estimates()).as("forgotten").isEmpty();
    assertThat(late.add(1, QuantileTally.KEPT - 1)).isTrue();
    assertThat(late.add(1, QuantileTally.KEPT)).isFalse();
  }

  @Test
  void aRestoredTallyContinuesBitForBit() {
    QuantileTally tally = new QuantileTally(LEVELS);
    new People(8, distribution("exponential")).publish(tally, 30, 20);
    Map<String, byte[]> saved = new HashMap<>();
    tally.visit("q", StateChunks.writer(saved::put));
    QuantileTally restored = new QuantileTally(LEVELS);
    restored.visit("q", StateChunks.reader(saved::get));
    new People(9, distribution("exponential")).publish(tally, 30, 20);
    new People(9, distribution("exponential")).publish(restored, 30, 20);
    assertThat(restored.estimates()).isEqualTo(tally.estimates());
    assertThat(restored.threshold()).isEqualTo(tally.threshold());
    assertThat(restored.answers()).isEqualTo(tally.answers());
  }
}
