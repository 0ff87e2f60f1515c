package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Theorem 3 of docs/theory/rounds.md, as it stands there. Hypotheses: noise that is symmetric about
 * its mean, of all parts of a round together, and means of at most lambda G; expectations are sums
 * over all paths.
 */
class NoiseTheoremTest {
  private static final double[] COMPARATORS = {0, 1e-3, 0.1, 1, 10, 300};
  private static final int ROUNDS = 7;

  /** Chooses the means of a round. */
  private interface Means {
    List<RoundGame.Part> of(RoundGame game, int t, double lambda, SplittableRandom random);
  }

  @Tag("ci")
  @ParameterizedTest
  @EnumSource
  void symmetricNoiseKeepsTheorem3InExpectation(RoundOpponent opponent) {
    for (int delay : new int[] {0, 1, 3}) {
      for (double noise : new double[] {0.3, 2, 60}) {
        for (int reports : new int[] {1, 1000}) {
          Expectation expected = new Expectation(noise, reports, 2);
          expected.play((game, t, lambda, random) -> opponent.late(game, t, delay, lambda, random));
          expected.assertKeeps("delay %d, noise %s, %d reports".formatted(delay, noise, reports));
        }
      }
    }
  }

  /** Means of 0.01, as large as h is before, and then one of 1. */
  @Test
  void aMeanBeyondWhatHSawCostsTheFirstTermOfDebt() {
    Expectation expected = new Expectation(0.003, 10_000, 1);
    expected.play((game, t, lambda, random) -> timely(t, t < 6 ? 0.01 : -1));
    expected.assertKeeps("a jump");
    assertThat(expected.regrets[0]).isGreaterThan(3 * (expected.bounds[0] - expected.debt));
  }

  /** A mean of 1 at which the bet before it wins and h grows, and then two that it loses to. */
  @Test
  void openBetsCostTheSecondTermOfDebt() {
    Expectation expected = new Expectation(0.003, 10_000, 1);
    expected.play(
        (game, t, lambda, random) ->
            t < 4 ? timely(t, 0.01) : List.of(new RoundGame.Part(4, t == 4 ? 1 : -1, 1)));
    expected.assertKeeps("open bets");
    assertThat(expected.regrets[0]).isGreaterThan(expected.bounds[0] - expected.debt);
  }

  private static List<RoundGame.Part> timely(int t, double mean) {
    return List.of(new RoundGame.Part(t, mean, 1));
  }

  /** Sums over the paths of a noise of two points. */
  private static final class Expectation {
    /** Against each comparator and its opposite. */
    private final double[] regrets = new double[2 * COMPARATORS.length];

    private final double[] bounds = new double[2 * COMPARATORS.length];
    private final double noise;
    private final int reports;
    private final double heaviest;
    private double debt;

    /**
     * @param noise the largest deviation of a round from its mean, over its weight
     * @param heaviest weight of a round after the first, at least 1
     */
    Expectation(double noise, int reports, double heaviest) {
      this.noise = noise;
      this.reports = reports;
      this.heaviest = heaviest;
    }

    void play(Means opponent) {
      for (int path = 0; path < 1 << ROUNDS; path++) {
        play(opponent, path);
      }
    }

    private void play(Means opponent, int path) {
      SplittableRandom random = new SplittableRandom(7);
      RoundGame game = new RoundGame(new Prior.Improper());
      double means = 0;
      double expectedLosses = 0;
      for (int t = 0; t < ROUNDS; t++) {
        double lambda = t == 0 || heaviest == 1 ? 1 : random.nextDouble(0.5, heaviest);
        List<RoundGame.Part> parts = new ArrayList<>();
        double sign = ((path >> t) & 1) == 0 ? -1 : 1;
        for (RoundGame.Part part : opponent.of(game, t, lambda, random)) {
          means += part.coin();
          expectedLosses -= part.coin() * game.bets.get(part.named()).magnitude();
          double deviation = sign * noise * lambda * part.share() * random.nextDouble(-1, 1);
          parts.add(new RoundGame.Part(part.named(), part.coin() + deviation, part.share()));
        }
        game.play(parts, reports, lambda);
      }
      double weight = Math.scalb(1.0, -ROUNDS);
      double ofPath = RoundGame.UP * game.debtOfMeans();
      debt += weight * ofPath;
      for (int i = 0; i < COMPARATORS.length; i++) {
        double u = COMPARATORS[i];
        double bound = weight * (game.theorem2(u) + game.dropped(game.floor) + ofPath);
        for (int j = 0; j < 2; j++) {
          regrets[2 * i + j] += weight * (expectedLosses + (j == 0 ? u : -u) * means);
          bounds[2 * i + j] += bound;
        }
      }
    }

    void assertKeeps(String what) {
      for (int i = 0; i < bounds.length; i++) {
        assertThat(regrets[i])
            .as("%s, against %s", what, COMPARATORS[i / 2])
            .isLessThanOrEqualTo(bounds[i] + 1e-9);
      }
    }
  }
}
