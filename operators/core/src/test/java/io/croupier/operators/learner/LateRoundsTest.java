package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.math.Vectors;
import io.croupier.operators.report.Specs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rounds whose reports name any of the last publications. */
class LateRoundsTest {
  private static final int D = 3;
  private static final int DELAY = 4;

  private static Learner<?> learner(String text) {
    return Learners.of(Specs.of(D, 1, text));
  }

  /** Against lambda Lambda^p and the shares of the parts, summed up directly. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "averaging {polynomial {degree: 3}} black_box {}",
        "averaging {polynomial {degree: 0}} black_box {radius: 0.1}",
        "averaging {polynomial {degree: 1}} black_box {prior {uniform {}}}",
        "averaging {polynomial {degree: 2}} banco {strongest_noise {gaussian {mu: 2}}}",
        "averaging {polynomial {degree: 3}} coordinate_wise {}",
        "averaging {polynomial {degree: 3}} combined {}",
        "averaging {polynomial {degree: 0}} initial_wealth: 9 coordinate_wise {radius: 0.1}"
      })
  void theAverageIsOverTheWeightsThatReportsWereEvaluatedAt(String text) {
    average(new TestRun<>(learner("initial_weights: [5, -7, 1] " + text)), degree(text));
  }

  private static double degree(String text) {
    return Character.digit(text.charAt(text.indexOf("degree: ") + 8), 10);
  }

  private static void average(TestRun<?> run, double degree) {
    SplittableRandom random = new SplittableRandom(5);
    Map<Long, double[]> played = new HashMap<>();
    double[] sum = new double[D];
    double weights = 0;
    TestRounds.Weighting weighting = new TestRounds.Weighting();
    double largest = 0;
    for (int t = 0; t < 150; t++) {
      double[] weightsNow = run.publish(t).weights.clone();
      run.forget(t - DELAY);
      played.put((long) t, weightsNow);
      largest = Math.max(largest, Golden.norm(weightsNow));
      Round round = new Round();
      for (long named = Math.max(0, t - DELAY); named <= t; named++) {
        if (random.nextBoolean() || named == t) {
          double[] g = new double[D];
          Arrays.setAll(g, j -> 0.3 * random.nextGaussian() - 0.2);
          TestRounds.add(round, named, 1 + random.nextInt(30), 1, g, 0.5);
        }
      }
      double lambda = weighting.next(round.weight());
      double alpha = lambda * Math.pow(weighting.total, degree);
      weights += alpha;
      for (int i = 0; i < round.size(); i++) {
        double share = alpha * round.part(i).weight / round.weight();
        Vectors.addScaled(share, played.get(round.part(i).publication), sum);
      }
      run.step(round, t - DELAY);
      double[] average = run.describe().average;
      for (int j = 0; j < D; j++) {
        assertThat(average[j])
            .as("round %d", t)
            .isCloseTo(sum[j] / weights, within(1e-12 * largest));
      }
    }
    assertThat(largest).isGreaterThan(Golden.norm(new double[] {5, -7, 1}) + 0.01);
  }

  /** How an opponent that sees the bet chooses the gradient of a part. */
  private enum Opponent {
    RANDOM,
    AGAINST_THE_BET,
    TURNING,
    ALTERNATING;

    double gradient(int t, int part, double bet, SplittableRandom random) {
      return switch (this) {
        case RANDOM -> random.nextDouble(-1, 1);
        case AGAINST_THE_BET -> bet >= 0 ? 1 : -1;
        case TURNING -> t % 40 < 15 ? -1 : 1;
        case ALTERNATING -> (t + part) % 2 == 0 ? 1 : -1;
      };
    }
  }

  /** The bet of a publication, and what the bettor knew. */
  private record Bet(
      double magnitude, double coins, double upper, double lower, double remainder, double unit) {
    /** The wealth that an expert of a side bets a fraction of. */
    double potential(int side, double v) {
      return Math.exp(side * v * coins - v * v * (side > 0 ? upper : lower));
    }
  }

  /**
   * Without noise, on every sequence and with any delays: each expert whose fraction is in range
   * has at least the wealth of its potential, so that the bettor has the integral of them. What is
   * discounted passes to larger fractions. Wealth is in the unit of the newest publication.
   */
  @Tag("ci")
  @ParameterizedTest
  @EnumSource
  void everyExpertKeepsItsPotential(Opponent opponent) {
    for (int delay = 0; delay <= 8; delay += 2) {
      for (int seed = 0; seed < 10; seed++) {
        play(opponent, delay, 1, 0, new SplittableRandom(seed));
        play(opponent, delay, 0.97, 0, new SplittableRandom(seed));
        play(opponent, delay, 1, 0.05, new SplittableRandom(seed));
        play(opponent, delay, 0.97, 0.05, new SplittableRandom(seed));
      }
    }
  }

  private static void play(
      Opponent opponent, int delay, double beta, double doubles, SplittableRandom random) {
    double remainder = 1;
    double unit = 1;
    MagnitudeLearner learner = TestLearners.bettor(new Prior.Improper());
    var state = new MagnitudeLearner.State();
    List<Bet> bets = new ArrayList<>();
    double[] fractions = new double[40];
    double[][] wealth = new double[2][fractions.length];
    for (int i = 0; i < fractions.length; i++) {
      fractions[i] = 2 * Math.pow(0.8, i);
      wealth[0][i] = 1;
      wealth[1][i] = 1;
    }
    RoundCoins coins = new RoundCoins();
    for (int t = 0; t < 150; t++) {
      bets.add(
          new Bet(
              state.magnitude(),
              state.coins(),
              state.upperVariance(),
              state.lowerVariance(),
              remainder,
              unit));
      coins.clear();
      Round round = new Round();
      int parts = 0;
      for (int named = Math.max(0, t - delay); named <= t; named++) {
        if (random.nextInt(3) == 0 || (named == t && parts == 0)) {
          TestRounds.add(round, named, 1 + random.nextInt(20), 1, new double[1], 0);
          parts++;
        }
      }
      for (int i = 0; i < parts; i++) {
        Round.Part part = round.part(i);
        Bet bet = bets.get((int) part.publication);
        double share = part.weight / round.weight();
        double coin = -share * opponent.gradient(t, i, bet.magnitude, random);
        double left = remainder / bet.remainder;
        coins.add(
            left * bet.unit * coin,
            state.coins() - left * bet.coins,
            state.upperVariance() - left * left * bet.upper,
            state.lowerVariance() - left * left * bet.lower,
            share);
        for (int k = 0; k < fractions.length; k++) {
          double v = fractions[k] / bet.remainder;
          wealth[0][k] += v * bet.unit * coin * bet.potential(1, v);
          wealth[1][k] -= v * bet.unit * coin * bet.potential(-1, v);
        }
      }
      learner.observe(state, coins, round, unit, 1);
      learner.discount(state, beta);
      unit *= random.nextDouble() < doubles ? 2 : 1;
      learner.bet(state, unit);
      remainder *= beta;
      Bet now =
          new Bet(0, state.coins(), state.upperVariance(), state.lowerVariance(), remainder, unit);
      for (int k = 0; k < fractions.length; k++) {
        double v = fractions[k] / remainder;
        for (int side = 1; side >= -1; side -= 2) {
          double bound = side > 0 ? state.upperBound() : state.lowerBound();
          double potential = now.potential(side, v);
          if (v <= BettingRule.SquaredCoin.RHO / bound) {
            assertThat(wealth[side > 0 ? 0 : 1][k])
                .as("%s, delay %d, round %d, fraction %s", opponent, delay, t, side * v)
                .isGreaterThanOrEqualTo(potential - 1e-9 * (1 + potential));
          }
        }
      }
    }
  }
}
