package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Expected regret under symmetric noise, without sampling. Every symmetric law is a mixture of laws
 * g + s and g - s with equal probability; of those, expectations are sums over the paths of a tree.
 */
class ExpectedRegretTest {
  private static final double K1 = 0.6838;

  /** A one-dimensional learner for G = 1, and the deviation that its reports declare, if any. */
  private record Bettor(String name, Prior prior, double halfWidth, BettingRule rule) {
    Potential potential() {
      return new Potential(prior, halfWidth);
    }

    /** What a coin adds to V; its noise is a two-point law, declared by its deviation. */
    double variance(double coin, double deviation) {
      return rule.variance(coin, 1, 1, deviation * deviation, 0);
    }

    Bettor withHalfWidth(double wider) {
      return new Bettor(name, prior, wider, rule);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static List<Bettor> bettors() {
    BettingRule squares = new BettingRule.SquaredCoin();
    return List.of(
        new Bettor("improper", new Prior.Improper(), 0.2, squares),
        new Bettor("conjugate", new Prior.Conjugate(1), 0.2, squares),
        new Bettor("uniform", new Prior.Uniform(), 0.2, squares),
        new Bettor("cv", new Prior.Cv(), 0.2, squares),
        new Bettor("banco", new Prior.Uniform(), K1, new BettingRule.DeclaredNoise()));
  }

  /** F - 1, or the excess instead: a lower bound on the expected gain. */
  private static double gain(Bettor bettor, Potential potential, double coins, double variance) {
    double log = potential.logPotential(coins, variance);
    return bettor.prior instanceof Prior.Improper
        ? Math.copySign(Math.expm1(Math.abs(log)), log)
        : Math.expm1(log);
  }

  /** The cost of one round beyond the change of the potential, relative to it; at most 0. */
  private static double overdraft(
      Bettor bettor, double coins, double variance, double mean, double deviation) {
    Potential potential = bettor.potential();
    double before = gain(bettor, potential, coins, variance);
    double after = 0;
    for (double g : new double[] {mean - deviation, mean + deviation}) {
      double added = bettor.variance(g, deviation);
      after += gain(bettor, potential, coins - g, variance + added) / 2;
    }
    double size = 1 + Math.abs(before);
    return (after + potential.prediction(coins, variance) * mean - before) / size;
  }

  /** The largest overdraft over random states, means and deviations. */
  private static double largestOverdraft(Bettor bettor) {
    SplittableRandom random = new SplittableRandom(1);
    double largest = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < 1500; i++) {
      double variance = i % 5 == 0 ? 0 : Math.pow(10, random.nextDouble(-2, 4));
      double limit = Math.min(Math.sqrt(80 * (variance + 1)), 20 / bettor.halfWidth);
      double coins = limit * random.nextDouble(-1, 1);
      double mean = i % 3 == 0 ? Math.signum(random.nextDouble(-1, 1)) : random.nextDouble(-1, 1);
      double deviation = i % 4 == 0 ? 0 : Math.pow(10, random.nextDouble(-2, 2));
      largest = Math.max(largest, overdraft(bettor, coins, variance, mean, deviation));
    }
    return largest;
  }

  /** [vdH19, Lemma 5]: E F_t <= F_(t-1) - w_t g_t; for BANCO, [JO19]. Rounding: 1e-12 of F. */
  @ParameterizedTest
  @MethodSource("bettors")
  void noRoundCostsMoreThanThePotentialLoses(Bettor bettor) {
    assertThat(largestOverdraft(bettor)).isLessThan(1e-12);
  }

  /** Twice the betting range would violate the bound, so its margin is small. */
  @ParameterizedTest
  @MethodSource("bettors")
  void withTwiceTheBettingRangeARoundWouldCostMore(Bettor bettor) {
    assertThat(largestOverdraft(bettor.withHalfWidth(2 * bettor.halfWidth))).isGreaterThan(1e-6);
  }

  /** Deviations of the noise, report by report, in units of G. */
  private static final List<List<Double>> NOISES =
      List.of(
          List.of(0.0),
          List.of(3.0),
          List.of(0.0, 10.0, 0.1, 1.0, 100.0, 0.0, 0.5),
          List.of(0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 300.0));

  /** A game of few rounds against a given adversary, over all paths of the noise. */
  private static final class Game {
    private static final int ROUNDS = 9;
    private static final ExpectedRegretBound THEOREM = new ExpectedRegretBound(1, 1);

    private final Bettor bettor;
    private final Potential potential;
    private final Adversary adversary;
    private final List<Double> noise;
    private double losses;
    private double gradients;
    private double gain;
    private final double[] adaptiveTerms = new double[ExpectedRegretBound.COMPARATORS.length];

    Game(Bettor bettor, Adversary adversary, List<Double> noise) {
      this.bettor = bettor;
      this.potential = bettor.potential();
      this.adversary = adversary;
      this.noise = noise;
      play(0, 1, 0, 0);
    }

    private void play(int t, double probability, double coins, double variance) {
      if (t == ROUNDS) {
        gain += probability * gain(bettor, potential, coins, variance);
        for (int i = 0; i < adaptiveTerms.length; i++) {
          adaptiveTerms[i] +=
              probability * THEOREM.adaptiveTerm(ExpectedRegretBound.COMPARATORS[i], variance);
        }
        return;
      }
      double weight = potential.prediction(coins, variance);
      double mean =
          adversary.gradient(new Adversary.Situation(t, weight, coins, variance, potential));
      losses += probability * weight * mean;
      gradients += probability * mean;
      double deviation = noise.get(t % noise.size());
      for (double g : new double[] {mean - deviation, mean + deviation}) {
        double next = variance + bettor.variance(g, deviation);
        play(t + 1, probability / 2, coins - g, next);
      }
    }
  }

  /** The theorem itself, with exact expectations. */
  @ParameterizedTest
  @EnumSource
  void expectedRegretKeepsTheBound(Adversary adversary) {
    for (List<Double> noise : NOISES) {
      Game game = new Game(bettors().get(1), adversary, noise);
      for (int i = 0; i < ExpectedRegretBound.COMPARATORS.length; i++) {
        double u = ExpectedRegretBound.COMPARATORS[i];
        assertThat(game.losses + u * Math.abs(game.gradients))
            .as("against |u| = %s, noise %s", u, noise)
            .isLessThanOrEqualTo(Game.THEOREM.bound(u, game.adaptiveTerms[i]));
      }
    }
  }

  /**
   * Against doing nothing the loss is at most W0 (1 - F); for the improper prior its excess
   * replaces F - 1.
   */
  @ParameterizedTest
  @MethodSource("bettors")
  void expectedLossesAreCoveredByThePotential(Bettor bettor) {
    for (List<Double> noise : NOISES) {
      for (Adversary adversary :
          List.of(Adversary.AGAINST_THE_WEIGHT, Adversary.TURNING, Adversary.RANDOM)) {
        Game game = new Game(bettor, adversary, noise);
        double rounding = 1e-12 * (1 + Math.abs(game.gain));
        assertThat(game.losses)
            .as("%s, noise %s", adversary, noise)
            .isLessThanOrEqualTo(-game.gain + rounding);
        if (!(bettor.prior instanceof Prior.Improper)) {
          assertThat(game.losses).isLessThanOrEqualTo(1);
        }
      }
    }
  }

  /**
   * BANCO relies on the declared noise. If reports declare a tenth of the deviation, it loses more
   * than its wealth.
   */
  @Test
  void bancoNeedsTheNoiseToBeDeclared() {
    Bettor banco = bettors().get(4);
    double honest = 0;
    double understated = 0;
    Potential potential = banco.potential();
    for (double g : new double[] {-3, 3}) {
      honest += Math.exp(potential.logPotential(-g, banco.variance(g, 3))) / 2;
      understated += Math.exp(potential.logPotential(-g, banco.variance(g, 0.3))) / 2;
    }
    assertThat(honest).isLessThanOrEqualTo(1);
    assertThat(understated).isGreaterThan(1);
  }
}
