package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Theorems 1, 2, 6 and 7 of docs/theory/rounds.md, as they stand there: a bettor plays against
 * opponents who see its bets, and loses at most what the page states. G = 1 and W0 = 1. Each test
 * names the hypothesis that its opponents keep, or shows what happens without it.
 */
class RoundTheoremsTest {
  private static final double KAPPA = RoundGame.KAPPA;
  private static final double UP = RoundGame.UP;
  private static final double[] COMPARATORS = {0, 1e-3, 0.1, 1, 10, 300};

  @Test
  void einIsAsStated() {
    assertThat(RoundGame.ein(1)).isCloseTo(0.796599599297053, within(1e-14));
    assertThat(RoundGame.ein(14.99)).isCloseTo(RoundGame.ein(15.01), within(2e-3));
    for (double z = 1e-6; z < 1e9; z *= 1.3) {
      assertThat(RoundGame.ein(z)).isLessThanOrEqualTo(Math.log1p(1.79 * z));
    }
  }

  /** Hypothesis: |C| is at most kappa lambda G in every round. */
  @ParameterizedTest
  @EnumSource
  void timelyCoinsUpToTheCapKeepTheorem1(RoundOpponent opponent) {
    for (int reports : new int[] {1, 2, 7, 100, 10_000}) {
      for (int seed = 0; seed < 4; seed++) {
        SplittableRandom random = new SplittableRandom(seed);
        RoundGame game = new RoundGame(new Prior.Improper());
        for (int t = 0; t < 640; t++) {
          double lambda = RoundOpponent.lambda(t, seed % 2 == 1, random);
          double cap = (seed < 2 ? KAPPA : 1) * lambda;
          double coin = cap * opponent.coin(t, game.newest().magnitude(), random);
          game.timely(coin, reports, lambda);
          if (t % 80 == 79 || (t > 600 && t % 3 == 0)) {
            assertKeeps(game, 1, opponent + ", " + reports + " reports, seed " + seed);
          }
        }
      }
    }
  }

  private static void assertKeeps(RoundGame game, int theorem, String what) {
    double others = theorem == 1 ? 0 : game.dropped(game.first) + UP * game.openBets();
    for (double u : COMPARATORS) {
      double bound = theorem == 1 ? game.theorem1(u) : game.theorem2(u) + others;
      assertThat(game.regret(u))
          .as("%s, after %d rounds, against %s", what, game.rounds.size(), u)
          .isLessThanOrEqualTo(bound + game.slack());
    }
  }

  /** The games of coins above the cap, with the learner that the job has, and what they lose. */
  @ParameterizedTest
  @ValueSource(doubles = {-4.5, -5, -2.4})
  void coinsAboveTheCapBreakTheorem1(double last) {
    var run = new TestRun<>(TestLearners.coordinates(0, Memory.INFINITE, InitialWeights.zero(1)));
    RoundGame game = new RoundGame(new Prior.Improper());
    double losses = 0;
    for (int t = 0; t < 612; t++) {
      double coin = t < 600 ? 0.1 : last;
      losses -= coin * run.publish().weights[0];
      run.step(-coin);
      game.timely(coin, 1, 1);
    }
    assertThat(losses).isCloseTo(game.losses, within(1e-9 * game.turnover));
    boolean isWithin = -last <= KAPPA;
    assertThat(game.losses <= game.theorem1(0)).isEqualTo(isWithin);
    assertThat(losses > 500).isNotEqualTo(isWithin);
    if (last == -5) { // the numbers of the page
      assertThat(losses).isCloseTo(1165, within(0.5));
      assertThat(game.theorem1(0)).isCloseTo(3.1, within(0.05));
    }
  }

  /** Hypothesis: |C| is at most kappa lambda G. */
  @ParameterizedTest
  @EnumSource
  void theConjugatePriorLosesAtMostItsWealthAndDebt(RoundOpponent opponent) {
    for (int reports : new int[] {1, 100}) {
      SplittableRandom random = new SplittableRandom(5);
      RoundGame game = new RoundGame(new Prior.Conjugate(1));
      double debt = 0;
      double mass = 0;
      for (int t = 0; t < 640; t++) {
        double lambda = RoundOpponent.lambda(t, reports > 1, random);
        double coin = KAPPA * lambda * opponent.coin(t, game.newest().magnitude(), random);
        RoundGame.Bet bet = game.newest();
        game.timely(coin, reports, lambda);
        RoundGame.Played round = game.rounds.get(t);
        if (t == 0) {
          double range = RoundGame.RHO / game.first;
          mass = 2 * RoundGame.integral(1e-9 * range, range, v -> v * Math.exp(-v * v));
        } else if (Math.abs(coin) > 2 * round.h()) {
          int loser = coin > 0 ? -1 : 1;
          debt +=
              RoundGame.integral(
                      1 / Math.abs(coin),
                      RoundGame.RHO / round.h(),
                      v ->
                          v * Math.exp(-v * v) * (v * Math.abs(coin) - 1) * bet.potential(loser, v))
                  / mass;
        }
        assertThat(game.losses)
            .as("%s, %d reports, round %d", opponent, reports, t)
            .isLessThanOrEqualTo(1 + UP * debt + game.slack());
      }
    }
  }

  /** Hypothesis: h is at least Y in every round; games in which it isn't end there. */
  @Tag("ci")
  @ParameterizedTest
  @EnumSource
  void lateCoinsKeepTheorem2(RoundOpponent opponent) {
    int kept = 0;
    for (int delay : new int[] {1, 3, 8}) {
      for (double size : new double[] {0.3, 1, KAPPA}) {
        for (int reports : new int[] {1, 50}) {
          SplittableRandom random = new SplittableRandom(delay);
          RoundGame game = new RoundGame(new Prior.Improper());
          for (int t = 0; t < 150; t++) {
            double lambda = RoundOpponent.lambda(t, size == 1, random);
            game.play(opponent.late(game, t, delay, size * lambda, random), reports, lambda);
            if (!game.keepsY) {
              break;
            }
            kept++;
            if (t % 15 == 14) {
              assertKeeps(game, 2, opponent + ", delay " + delay + ", size " + size);
            }
          }
        }
      }
    }
    assertThat(kept).isGreaterThan(150);
  }

  /** Hypothesis: |C| is at most kappa lambda G. Of theorem 6 with a unit of 1, and of both. */
  @ParameterizedTest
  @EnumSource
  void memoriesAndUnitsKeepTheorems6And7(RoundOpponent opponent) {
    for (double halfLife : new double[] {3, 40, 1e4, Double.POSITIVE_INFINITY}) {
      for (double growth : new double[] {0, 0.05}) {
        SplittableRandom random = new SplittableRandom(11);
        RoundGame game = new RoundGame(new Prior.Improper());
        double beta = new Memory(halfLife).remainder(1);
        for (int t = 0; t < 640; t++) {
          double lambda = game.unit * random.nextDouble(0.3, 1);
          double coin = KAPPA * lambda * opponent.coin(t, game.newest().magnitude(), random);
          game.timely(coin, 20, lambda);
          assertThat(game.losses)
              .as("%s, half-life %s, growth %s, round %d", opponent, halfLife, growth, t)
              .isLessThanOrEqualTo(game.theorem1(0) + game.slack());
          game.endRound(beta, random.nextDouble() < growth);
        }
      }
    }
  }

  /** Without the hypothesis on coins, neither theorem holds. */
  @Test
  void coinsAboveTheCapBreakTheorems6And7() {
    for (double halfLife : new double[] {1e4, Double.POSITIVE_INFINITY}) {
      RoundGame game = new RoundGame(new Prior.Improper());
      double beta = new Memory(halfLife).remainder(1);
      for (int t = 0; t < 612; t++) {
        game.timely(game.unit * (t < 600 ? 0.1 : -5), 1, game.unit);
        game.endRound(beta, t == 100 && halfLife > 1e4);
      }
      assertThat(game.losses).isGreaterThan(20 * game.theorem1(0));
    }
  }
}
