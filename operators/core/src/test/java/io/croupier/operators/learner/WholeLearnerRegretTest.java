package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.math.Vectors;
import io.croupier.operators.report.Specs;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Regret of whole learners, on sequences without noise, where the bounds need no expectation. */
class WholeLearnerRegretTest {
  private static final int D = 4;
  private static final int ROUNDS = 500;
  private static final double G = 2;

  /** Chooses subgradients of norm G at most. */
  private enum Opponent {
    /** Every bet loses. */
    AGAINST_THE_WEIGHTS,

    /** G ||w - u||. */
    TOWARDS_AN_OPTIMUM,

    /** Lets the learner win in one coordinate, then lose in that one and another. */
    TURNING,
    RANDOM;

    double[] subgradient(int t, double[] w, SplittableRandom random) {
      return switch (this) {
        case AGAINST_THE_WEIGHTS -> ofNorm(G, Golden.norm(w) == 0 ? unit(t % D) : w);
        case TOWARDS_AN_OPTIMUM -> ofNorm(G, w[0] - 3, w[1] + 1, w[2], w[3] - 0.2);
        case TURNING ->
            t % 100 < 30 ? new double[] {-G, 0, 0, 0} : new double[] {0.8 * G, -0.6 * G, 0, 0};
        case RANDOM -> {
          double[] g = new double[D];
          Arrays.setAll(g, j -> random.nextGaussian());
          yield ofNorm(G * random.nextDouble(), g);
        }
      };
    }

    private static double[] unit(int coordinate) {
      double[] unit = new double[D];
      unit[coordinate] = 1;
      return unit;
    }

    private static double[] ofNorm(double norm, double... v) {
      double[] scaled = new double[D];
      Vectors.scale(norm / Golden.norm(v), v, scaled);
      return scaled;
    }
  }

  /** Sums over the rounds that were played. */
  private static final class Sums {
    private double losses;
    private double turnover;
    private double directionLosses;
    private double squaredCoins;
    private double squaredNorms;
    private final double[] gradients = new double[D];
    private final double[] squares = new double[D];
  }

  private interface Check {
    void afterRound(int t, Sums sums);
  }

  private static Learner<?> learner(String text) {
    return Learners.of(Specs.of(D, G, text));
  }

  private static void play(String learner, Opponent opponent, Check check) {
    TestRun<?> run = new TestRun<>(learner(learner));
    SplittableRandom random = new SplittableRandom(8);
    Sums sums = new Sums();
    for (int t = 0; t < ROUNDS; t++) {
      double[] weights = run.publish().weights.clone();
      double[] direction = direction(run.state);
      double[] g = opponent.subgradient(t, weights, random);
      double loss = Vectors.dot(weights, g);
      double coin = Vectors.dot(direction, g);
      sums.losses += loss;
      sums.turnover += Math.abs(loss);
      sums.directionLosses += coin;
      sums.squaredCoins += coin * coin;
      sums.squaredNorms += Vectors.squaredNorm(g);
      for (int j = 0; j < D; j++) {
        sums.gradients[j] += g[j];
        sums.squares[j] += g[j] * g[j];
      }
      run.step(G, g, 0);
      check.afterRound(t, sums);
    }
  }

  /** Zero if the learner has no direction. */
  private static double[] direction(LearnerState state) {
    return state instanceof ProductLearner.State product
        ? product.direction().direction.clone()
        : new double[D];
  }

  /**
   * The initial wealth bounds the loss of each bettor. (With the improper prior it is only the unit
   * of the loss.)
   */
  @ParameterizedTest
  @CsvSource({
    "1, black_box {prior {conjugate {}}}",
    "1, black_box {prior {uniform {}}}",
    "1, black_box {prior {cv {}}}",
    "1, banco {strongest_noise {l2_laplace {epsilon: 1}}}",
    "1, banco {strongest_noise {sub_exponential {variance: 0 beta_max: inf}}}",
    "40, initial_wealth: 40 black_box {prior {conjugate {}}}",
    "0.1, initial_wealth: 0.1 black_box {prior {uniform {}}}",
    "40, initial_wealth: 40 banco {strongest_noise {gaussian {mu: 1}}}",
    "4, coordinate_wise {prior {conjugate {}}}",
    "40, initial_wealth: 10 coordinate_wise {prior {uniform {}}}"
  })
  void lossesStayBelowTheInitialWealth(double wealth, String learner) {
    for (Opponent opponent : Opponent.values()) {
      play(
          learner,
          opponent,
          (t, sums) ->
              assertThat(sums.losses)
                  .as("%s round %d", opponent, t)
                  .isLessThanOrEqualTo(wealth + 1e-12 * sums.turnover));
    }
  }

  /**
   * [vdH19, Lemma 6]: regret against u is that of the magnitude against ||u|| and ||u|| times that
   * of the direction, which is at most 3 sqrt(sum ||g||^2): steps 1 / sqrt(sum ||g||^2) in a ball
   * of diameter 2 give 2^2 / 2 and 2 / 2 of it.
   */
  @ParameterizedTest
  @EnumSource
  void blackBoxKeepsTheBoundsOfItsParts(Opponent opponent) {
    ExpectedRegretBound theorem = new ExpectedRegretBound(G, G * G);
    play(
        "black_box {prior {conjugate {}}}",
        opponent,
        (t, sums) -> {
          double steps = 3 * Math.sqrt(sums.squaredNorms);
          double farthest = Golden.norm(sums.gradients);
          assertThat(sums.directionLosses + farthest).isLessThanOrEqualTo(steps);
          for (double comparator : ExpectedRegretBound.COMPARATORS) {
            double u = comparator / G;
            double adaptiveTerm = theorem.adaptiveTerm(u, sums.squaredCoins);
            assertThat(sums.losses + u * farthest)
                .as("against ||u|| = %s, round %d", u, t)
                .isLessThanOrEqualTo(
                    theorem.bound(u, adaptiveTerm) + u * steps + 1e-12 * sums.turnover);
          }
        });
  }

  /** [vdH19, Theorem 2]: the sum over the coordinates. */
  @ParameterizedTest
  @EnumSource
  void coordinateWiseKeepsTheBoundOfEveryCoordinate(Opponent opponent) {
    ExpectedRegretBound theorem = new ExpectedRegretBound(G, G * G);
    play(
        "coordinate_wise {prior {conjugate {}}}",
        opponent,
        (t, sums) -> {
          for (double comparator : ExpectedRegretBound.COMPARATORS) {
            double regret = sums.losses;
            double bound = 0;
            for (int j = 0; j < D; j++) {
              double u = comparator / G / (j + 1);
              regret += u * Math.abs(sums.gradients[j]);
              bound += theorem.bound(u, theorem.adaptiveTerm(u, sums.squares[j]));
            }
            assertThat(regret)
                .as("against multiples of %s, round %d", comparator / G, t)
                .isLessThanOrEqualTo(bound + 1e-12 * sums.turnover);
          }
        });
  }

  /** The direction's bound has no condition on the gradients: here they have no mean. */
  @Test
  void theDirectionLearnsWithoutAnyBoundOnGradients() {
    SplittableRandom random = new SplittableRandom(9);
    for (int game = 0; game < 20; game++) {
      TestRun<?> run = new TestRun<>(learner("black_box {}"));
      double[] gradients = new double[D];
      double losses = 0;
      double squares = 0;
      for (int t = 0; t < ROUNDS; t++) {
        double[] g = new double[D];
        Arrays.setAll(g, j -> 0.3 + Math.tan(Math.PI * (random.nextDouble() - 0.5)));
        losses += Vectors.dot(direction(run.state), g);
        squares += Vectors.squaredNorm(g);
        Vectors.add(g, gradients);
        run.step(g);
        assertThat(losses + Golden.norm(gradients)).isLessThanOrEqualTo(3 * Math.sqrt(squares));
      }
    }
  }
}
