package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Theorem 7 of docs/theory/rounds.md: what a bettor loses whose rounds grow. */
class GrowingUnitTest {

  /** The losses of a bettor, each in the unit of its round, and what they may be. */
  private static final class Play {
    private final MagnitudeLearner learner;
    private final MagnitudeLearner.State state = new MagnitudeLearner.State();
    private final Potential potential;
    private final RoundCoins coins = new RoundCoins();
    private final Round round = new Round();
    private double unit = 1;
    private int doublings;
    private double losses;
    private double turnover;

    Play(Prior prior) {
      learner =
          new MagnitudeLearner(prior, new BettingRule.SquaredCoin(), Double.POSITIVE_INFINITY, 1);
      potential = new Potential(prior, 0.2);
      TestRounds.add(round, 0, 1, 1, new double[1], 0);
    }

    void step(Adversary adversary, int t, boolean doubles) {
      double bet = state.magnitude();
      double gradient =
          adversary.gradient(
              new Adversary.Situation(t, bet, state.coins(), state.upperVariance(), potential));
      losses += bet * gradient;
      turnover += Math.abs(bet * gradient);
      coins.clear();
      coins.add(-unit * gradient, 0, 0, 0, 1);
      learner.observe(state, coins, round, unit, 1);
      if (doubles) {
        unit *= 2;
        doublings++;
        learner.replenish(state);
      }
      learner.bet(state, unit);
    }

    double logPotential() {
      Map<String, Double> diagnostics = new HashMap<>();
      learner.diagnose(state, unit, diagnostics);
      return diagnostics.get("log-potential");
    }
  }

  /** The improper prior pays for the fractions that it drops, and nothing for the unit. */
  @ParameterizedTest
  @EnumSource
  void theImproperPriorLosesWhatItLosesWithoutUnits(Adversary adversary) {
    for (int seed = 0; seed < 4; seed++) {
      Random random = new Random(seed);
      Play play = new Play(new Prior.Improper());
      double first = 0;
      for (int t = 1; t <= 300; t++) {
        play.step(adversary, t, random.nextInt(15) == 0);
        first = t == 1 ? play.state.upperBound() : first;
        double log = play.logPotential();
        double excess = Math.copySign(Math.expm1(Math.abs(log)), log);
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
    for (Prior prior : new Prior[] {new Prior.Uniform(), new Prior.Conjugate(2)}) {
      Random random = new Random(7);
      Play play = new Play(prior);
      for (int t = 1; t <= 300; t++) {
        play.step(adversary, t, random.nextInt(15) == 0);
        double wealth = Math.exp(play.logPotential());
        assertThat(play.losses)
            .as("%s, %s, round %d", prior, adversary, t)
            .isLessThanOrEqualTo(
                1 + play.doublings - wealth + 1e-11 * (1 + play.turnover + wealth));
      }
      assertThat(play.doublings).isGreaterThan(5);
    }
  }

  private static ProductLearner blackBox() {
    return new ProductLearner(
        new MagnitudeLearner(
            new Prior.Improper(), new BettingRule.SquaredCoin(), Double.POSITIVE_INFINITY, 1),
        BallConstraint.NONE,
        new Averaging(1),
        InitialWeights.zero(1));
  }

  private static CoordinateWise coordinates(int dimension) {
    return new CoordinateWise(
        new Prior.Improper(),
        1,
        BallConstraint.NONE,
        new Averaging(1),
        InitialWeights.zero(dimension));
  }

  /** Six noisy reports of one person, before 2,000 people a round: the median of 25 seeds. */
  @Test
  void aFewEarlyReportsDontSpoilTheModel() {
    assertThat(median(blackBox())).isLessThan(0.1);
    assertThat(median(coordinates(1))).isLessThan(0.1);
  }

  private static <S extends LearnerState> double median(Learner<S> learner) {
    double[] errors = new double[25];
    for (int seed = 0; seed < errors.length; seed++) {
      errors[seed] = Math.abs(learned(learner, new Random(seed)) - 0.5);
    }
    Arrays.sort(errors);
    return errors[errors.length / 2];
  }

  private static <S extends LearnerState> double learned(Learner<S> learner, Random random) {
    S state = learner.initial();
    Iterate iterate = new Iterate(1);
    for (int t = 0; t < 46; t++) {
      TestRounds.publish(learner, state, iterate);
      int reports = t < 6 ? 1 : 2000;
      double difference = iterate.weights[0] - 0.5;
      double mean =
          difference / Math.sqrt(1 + difference * difference)
              + 10 * random.nextGaussian() / Math.sqrt(reports);
      Round round = new Round();
      TestRounds.add(round, state.round(), reports, 1, new double[] {mean}, 100);
      learner.step(state, round);
    }
    learner.describe(state, iterate);
    return iterate.average[0];
  }

  /** Coordinates that a round doesn't touch bet in the new unit, too. */
  @Test
  void everyCoordinateBetsInTheNewUnit() {
    CoordinateWise learner = coordinates(200);
    CoordinateWise.State state = learner.initial();
    Iterate iterate = new Iterate(200);
    TestRounds.publish(learner, state, iterate);
    Round round = new Round();
    TestRounds.addSparse(round, 0, new int[] {3, 150}, new double[] {0.5, -0.3});
    round.reports = 1;
    learner.step(state, round);
    TestRounds.publish(learner, state, iterate);
    double before = iterate.weights[3];
    assertThat(before).isNegative();
    round.clear();
    Round.Part part = TestRounds.addSparse(round, 1, new int[] {150}, new double[] {0.2});
    part.weight = 8;
    part.squaredWeight = 8;
    learner.step(state, round);
    TestRounds.publish(learner, state, iterate);
    assertThat(iterate.weights[3]).isCloseTo(2 * before, within(1e-15));
    assertThat(iterate.weights[4]).isZero();
  }
}
