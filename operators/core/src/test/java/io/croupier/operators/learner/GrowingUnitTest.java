package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Theorem 7 of docs/theory/rounds.md: what a bettor loses whose rounds grow. */
class GrowingUnitTest {
  /** The improper prior pays for the fractions that it drops, and nothing for the unit. */
  @ParameterizedTest
  @EnumSource
  void theImproperPriorLosesWhatItLosesWithoutUnits(Adversary adversary) {
    for (int seed = 0; seed < 4; seed++) {
      Random random = new Random(seed);
      BettorGame play = new BettorGame(new Prior.Improper());
      double first = 0;
      for (int t = 1; t <= 300; t++) {
        play.step(adversary, t, 1, random.nextInt(15) == 0);
        first = t == 1 ? play.state.upperBound() : first;
        double excess = play.excess();
        double dropped = 2 * Math.log(play.state.upperBound() / first);
        assertThat(play.losses)
            .as("%s, seed %d, round %d", adversary, seed, t)
            .isLessThanOrEqualTo(dropped - excess + 1e-11 * (1 + play.turnover + Math.abs(excess)));
      }
      assertThat(play.doublings).isGreaterThan(5);
    }
  }

  /** A proper prior receives at most W0 with each doubling, and never has more than it owns. */
  @ParameterizedTest
  @EnumSource
  void aProperPriorLosesAtMostTheWealthThatItReceives(Adversary adversary) {
    for (Prior prior : new Prior[] {new Prior.Uniform(), new Prior.Conjugate(2), new Prior.Cv()}) {
      Random random = new Random(7);
      BettorGame play = new BettorGame(prior);
      for (int t = 1; t <= 300; t++) {
        play.step(adversary, t, 1, random.nextInt(15) == 0);
        double wealth = Math.exp(play.logPotential());
        assertThat(play.losses)
            .as("%s, %s, round %d", prior, adversary, t)
            .isLessThanOrEqualTo(
                1 + play.doublings - wealth + 1e-11 * (1 + play.turnover + wealth));
      }
      assertThat(play.doublings).isGreaterThan(5);
    }
  }

  private static CoordinateWise coordinates(int dimension) {
    return TestLearners.coordinates(1, Memory.INFINITE, InitialWeights.zero(dimension));
  }

  /** Six noisy reports of one person, before 2,000 people a round: the median of 25 seeds. */
  @Test
  void aFewEarlyReportsDontSpoilTheModel() {
    assertThat(median(TestLearners.blackBox(1, Memory.INFINITE, InitialWeights.zero(1))))
        .isLessThan(0.1);
    assertThat(median(coordinates(1))).isLessThan(0.1);
  }

  private static double median(Learner<?> learner) {
    double[] errors = new double[25];
    for (int seed = 0; seed < errors.length; seed++) {
      errors[seed] = Math.abs(learned(new TestRun<>(learner), new Random(seed)) - 0.5);
    }
    Arrays.sort(errors);
    return errors[errors.length / 2];
  }

  private static double learned(TestRun<?> run, Random random) {
    for (int t = 0; t < 46; t++) {
      int reports = t < 6 ? 1 : 2000;
      double difference = run.publish().weights[0] - 0.5;
      double mean =
          difference / Math.sqrt(1 + difference * difference)
              + 10 * random.nextGaussian() / Math.sqrt(reports);
      run.step(t, reports, 1, new double[] {mean}, 100);
    }
    return run.describe().average[0];
  }

  /** Coordinates that a round doesn't touch bet in the new unit, too. */
  @Test
  void everyCoordinateBetsInTheNewUnit() {
    var run = new TestRun<>(coordinates(200));
    run.publish();
    Round round = new Round();
    TestRounds.addSparse(round, 0, new int[] {3, 150}, new double[] {0.5, -0.3});
    run.step(round);
    double before = run.publish().weights[3];
    assertThat(before).isNegative();
    round.clear();
    Round.Part part = TestRounds.addSparse(round, 1, new int[] {150}, new double[] {0.2});
    part.weight = 8;
    part.squaredWeight = 8;
    run.step(round);
    double[] weights = run.publish().weights;
    assertThat(weights[3]).isCloseTo(2 * before, within(1e-15));
    assertThat(weights[4]).isZero();
  }
}
