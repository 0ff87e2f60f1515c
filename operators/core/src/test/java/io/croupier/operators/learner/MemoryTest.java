package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.math.Vectors;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Theorem 6 of docs/theory/rounds.md, and what a memory changes. */
class MemoryTest {
  private static final double[] BETAS = {1e-30, 0.01, 0.5, 0.9, 0.99, 1 - 1e-6, 1};

  private static ProductLearner product(double degree, double halfLife) {
    return TestLearners.blackBox(degree, new Memory(halfLife), InitialWeights.zero(3));
  }

  private static CoordinateWise coordinates(int dimension, double halfLife) {
    return TestLearners.coordinates(0, new Memory(halfLife), InitialWeights.zero(dimension));
  }

  @Test
  void aReportHasHalfOfItsWeightAfterAHalfLife() {
    Memory memory = new Memory(20_000);
    assertThat(memory.remainder(0)).isEqualTo(1);
    assertThat(memory.remainder(20_000)).isEqualTo(0.5);
    assertThat(memory.remainder(10_000)).isCloseTo(Math.sqrt(0.5), within(1e-15));
    assertThat(new Memory(1).remainder(1e6)).as("2^-1e6").isZero();
    assertThat(new Memory(1e15).remainder(1)).isCloseTo(1 - Math.log(2) * 1e-15, within(2e-16));
    assertThat(Memory.INFINITE.remainder(1e18)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.99, -3, Double.NaN})
  void refusesAHalfLifeBelowOneReport(double halfLife) {
    assertThatThrownBy(() -> new Memory(halfLife))
        .hasMessage("memory.half_life is " + halfLife + "; it has to be at least 1");
  }

  /** An action on a potential before and after a discount. */
  @FunctionalInterface
  private interface Discounted {
    void check(Potential potential, double c, double coins, double variance, double beta);
  }

  /** C from 2^-20 to 2^20; |L| C up to 1e5, V C^2 up to 1e9. Returns how many cases. */
  private static int everywhere(Prior prior, double[] halfWidths, Discounted check) {
    int cases = 0;
    for (double c : halfWidths) {
      Potential potential = new Potential(prior, c);
      for (double l : new double[] {0, 1e-9, 0.01, 1, 7, 100, 1e3, 1e5}) {
        for (double v : new double[] {0, 1e-12, 1e-3, 0.3, 4, 100, 1e4, 1e6, 1e9}) {
          for (double beta : BETAS) {
            for (int sign = -1; sign <= 1; sign += 2) {
              check.check(potential, c, sign * l / c, v / c / c, beta);
              cases++;
            }
          }
        }
      }
    }
    return cases;
  }

  /** F of the improper prior, from sgn(F) ln(1 + |F|). */
  private static double excess(double log) {
    return Math.copySign(Math.expm1(Math.abs(log)), log);
  }

  @Test
  void theImproperPriorLosesAtMostTwoLogarithms() {
    int cases =
        everywhere(
            new Prior.Improper(),
            new double[] {0x1p-20, 0.2, 3, 0x1p20},
            (potential, c, coins, variance, beta) -> {
              double before = potential.logPotential(coins, variance);
              double after = potential.logPotential(beta * coins, beta * beta * variance);
              String as = "C %s, L %s, V %s, beta %s".formatted(c, coins, variance, beta);
              if (after > 30) {
                assertThat(after).as(as).isLessThanOrEqualTo(before + 1e-12 * after);
              } else {
                double f = excess(after);
                assertThat(f)
                    .as(as)
                    .isLessThanOrEqualTo(
                        excess(before) - 2 * Math.log(beta) + 1e-11 * (1 + Math.abs(f)));
              }
            });
    assertThat(cases).isEqualTo(4 * 8 * 9 * 7 * 2);
  }

  /** F(beta L, beta^2 V) of the range C is F(L, V) of the range beta C. */
  @Test
  void aDiscountIsASmallerRange() {
    everywhere(
        new Prior.Improper(),
        new double[] {0.2},
        (potential, c, coins, variance, beta) -> {
          double after = potential.logPotential(beta * coins, beta * beta * variance);
          double smaller =
              new Potential(new Prior.Improper(), beta * c).logPotential(coins, variance);
          assertThat(after).isCloseTo(smaller, within(1e-11 * Math.max(1, Math.abs(smaller))));
        });
  }

  /** The wealth of a proper prior may grow by a factor, which is what a discount may cost. */
  @Test
  void aProperPriorGrowsByAtMostAFactor() {
    for (Prior prior : new Prior[] {new Prior.Uniform(), new Prior.Conjugate(1)}) {
      everywhere(
          prior,
          new double[] {0x1p-20, 0.2, 3, 0x1p20},
          (potential, c, coins, variance, beta) ->
              assertFactor(potential, coins, variance, beta, -Math.log(beta)));
    }
    everywhere(
        new Prior.Cv(),
        new double[] {0x1p-20, 0.2, 0.9},
        (potential, c, coins, variance, beta) ->
            assertFactor(
                potential, coins, variance, beta, 2 * Math.log1p(Math.log(beta) / Math.log(c))));
  }

  private static void assertFactor(
      Potential potential, double coins, double variance, double beta, double factor) {
    double before = potential.logPotential(coins, variance);
    double after = potential.logPotential(beta * coins, beta * beta * variance);
    assertThat(after)
        .as("L %s, V %s, beta %s", coins, variance, beta)
        .isLessThanOrEqualTo(before + factor + 1e-11 * Math.max(1, Math.abs(before)));
  }

  /** So nothing additive is promised of them. */
  @Test
  void aProperPriorMayLoseMoreThanTwoLogarithms() {
    Potential potential = new Potential(new Prior.Uniform(), 0.2);
    double before = Math.exp(potential.logPotential(2e3, 1e4));
    double after = Math.exp(potential.logPotential(0.9 * 2e3, 0.81 * 1e4));
    assertThat(after - before).isGreaterThan(1e40);
  }

  /**
   * Pathwise, at the end of every round of every sequence: the losses are at most what is forgotten
   * less the potential.
   */
  @ParameterizedTest
  @EnumSource
  void forgettingCostsAtMostTwoLogarithmsARound(Adversary adversary) {
    for (double halfLife : new double[] {1, 5, 40, 1e4}) {
      double beta = new Memory(halfLife).remainder(1);
      BettorGame game = new BettorGame(new Prior.Improper());
      Potential potential = new Potential(new Prior.Improper(), 0.2);
      for (int t = 1; t <= 400; t++) {
        game.step(adversary, t, beta, false);
        double now = excess(potential.logPotential(game.state.coins(), game.state.upperVariance()));
        double forgotten = 2 * t * Math.log(2) / halfLife;
        assertThat(game.losses)
            .as("%s, half-life %s, round %d", adversary, halfLife, t)
            .isLessThanOrEqualTo(forgotten - now + 1e-12 * (1 + game.turnover + Math.abs(now)));
      }
    }
  }

  /** Weights and averages of a learner that forgets whatever it has learned. */
  @Test
  void aMemoryShorterThanARoundStaysAtTheInitialWeights() {
    var run = new TestRun<>(product(3, 1));
    for (int t = 0; t < 20; t++) {
      Iterate newest = run.publish(t);
      assertThat(Golden.norm(newest.weights)).isZero();
      assertThat(Golden.norm(newest.average)).isZero();
      newest.diagnostics.forEach((name, value) -> assertThat(value).as(name).isFinite());
      run.step(t, 1_000_000, 1, new double[] {0.1, -0.2, 0.3}, 0.1);
    }
  }

  /** The t-th round has the weight t^degree times the product of the later rounds' betas. */
  @Test
  void theAverageHasTheSameMemory() {
    var run = new TestRun<>(product(2, 30));
    Random random = new Random(1);
    double[] sum = new double[3];
    double weights = 0;
    for (int t = 1; t <= 300; t++) {
      run.forget(Long.MAX_VALUE);
      double beta = Math.pow(2, -4 / 30.0);
      weights = weights * beta + t * (double) t;
      Vectors.scale(beta, sum, sum);
      Vectors.addScaled(t * (double) t, run.publish(t).weights, sum);
      double[] gradient = {0.2 * random.nextGaussian() - 0.1, random.nextGaussian(), 0.1};
      run.step(t, 4, 1, gradient, 0.1);
      double[] average = run.describe().average;
      for (int j = 0; j < 3; j++) {
        assertThat(average[j]).isCloseTo(sum[j] / weights, within(1e-11));
      }
    }
    assertThat(sum[2]).isNegative();
  }

  /**
   * A coordinate that slept is discounted by all betas since its last coin, after the next one: its
   * weights are those of a bettor on its coins alone.
   */
  @Test
  void aCoordinateThatSleptIsDiscountedOnce() {
    double halfLife = 20;
    var run = new TestRun<>(coordinates(2, halfLife));
    MagnitudeLearner alone = TestLearners.bettor(new Prior.Improper());
    MagnitudeLearner.State its = new MagnitudeLearner.State();
    RoundCoins coins = new RoundCoins();
    Round one = new Round();
    TestRounds.add(one, 0, 1, 1, new double[1], 0);
    Random random = new Random(2);
    int last = -1;
    double largest = 0;
    for (int t = 0; t < 500; t++) {
      run.forget(t);
      double bet = its.magnitude();
      assertThat(run.publish(t).weights[1]).isCloseTo(bet, within(1e-12 * Math.abs(bet)));
      largest = Math.max(largest, Math.abs(bet));
      boolean wakes = random.nextInt(6) == 0;
      double gradient = random.nextGaussian() - 1;
      Round round = new Round();
      if (wakes) {
        TestRounds.addSparse(round, t, new int[] {0, 1}, new double[] {0.3, gradient});
        coins.clear();
        coins.add(-gradient, 0, 0, 0, 1);
        alone.observe(its, coins, one, 1, 1);
        alone.discount(its, Math.pow(2, -(last < 0 ? 1 : t - last) / halfLife));
        alone.bet(its, 1);
        last = t;
      } else {
        TestRounds.addSparse(round, t, new int[] {0}, new double[] {0.3});
      }
      run.step(round, t);
    }
    assertThat(largest).isGreaterThan(0.1);
  }

  /** A coin that arrives late counts as it would if it had been discounted since its round. */
  @Test
  void aLateReportOfACoordinateIsDiscountedSinceItsPublication() {
    double[] counted = new double[2];
    for (int late = 0; late < 2; late++) {
      var run = new TestRun<>(coordinates(1, 10));
      for (int t = 0; t < 12; t++) {
        run.publish(t);
        Round round = new Round();
        if (t == 11 && late == 1) {
          TestRounds.add(round, 1, 1, 1, new double[] {0.5}, 0);
        }
        TestRounds.add(round, t, 1, 1, new double[] {-0.5}, 0);
        round.reports = 1;
        run.step(round);
      }
      counted[late] = run.state.coordinates().coins(0);
    }
    double beta = Math.pow(2, -0.1);
    double before = 0;
    for (int t = 0; t < 11; t++) {
      before = beta * (before + 0.5);
    }
    assertThat(counted[0]).isCloseTo(beta * (before + 0.5), within(1e-14));
    // lambda is 2; the late report of publication 1 shares the round, ten rounds old.
    assertThat(counted[1])
        .isCloseTo(beta * (before + 0.5 - 0.5 * Math.pow(beta, 10)), within(1e-14));
  }

  /** The mean distance of the average from the optimum, in the 20 rounds before {@code to}. */
  private static double distance(Learner<?> learner, boolean turns, int to) {
    double[] distances = distances(new TestRun<>(learner), turns);
    return Arrays.stream(distances, to - 20, to).average().orElseThrow();
  }

  /** The optimum turns over after half of the 400 rounds of 50 reports, or stays. */
  private static double[] distances(TestRun<?> run, boolean turns) {
    double[] optimum = {0.8, -0.5, 0.3};
    Random random = new Random(3);
    double[] distances = new double[400];
    for (int t = 0; t < distances.length; t++) {
      double[] weights = run.publish(t).weights;
      run.forget(t);
      double sign = turns && t >= distances.length / 2 ? -1 : 1;
      double[] mean = new double[3];
      int reports = 50;
      for (int j = 0; j < 3; j++) {
        double difference = weights[j] - sign * optimum[j];
        mean[j] =
            0.5 * difference / Math.sqrt(1 + difference * difference)
                + random.nextGaussian() / Math.sqrt(reports);
      }
      run.step(t, reports, 1, mean, 1);
      double[] average = run.describe().average.clone();
      Vectors.addScaled(-sign, optimum, average);
      distances[t] = Golden.norm(average);
    }
    return distances;
  }

  /** Within 100 rounds, 5,000 reports, after a turn that followed 200 rounds. */
  @Test
  void aLearnerWithAMemoryRecoversFromATurn() {
    assertThat(distance(product(3, 1_000), true, 300)).isLessThan(0.3);
    assertThat(distance(product(3, Double.POSITIVE_INFINITY), true, 300)).isGreaterThan(0.5);
    assertThat(distance(coordinates(3, 1_000), true, 300)).isLessThan(0.3);
    assertThat(distance(coordinates(3, Double.POSITIVE_INFINITY), true, 300)).isGreaterThan(1);
  }

  /** It is as far from the optimum as the reports of its memory make it, and stays there. */
  @Test
  void aLearnerWithAMemoryStaysNearAnOptimumThatStays() {
    for (int round : new int[] {200, 300, 400}) {
      assertThat(distance(product(3, 1_000), false, round)).isBetween(0.05, 0.25);
      assertThat(distance(coordinates(3, 1_000), false, round)).isBetween(0.05, 0.25);
      assertThat(distance(product(3, Double.POSITIVE_INFINITY), false, round)).isLessThan(0.1);
    }
  }
}
