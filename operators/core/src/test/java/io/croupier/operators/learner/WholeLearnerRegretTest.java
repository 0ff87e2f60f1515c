package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.croupier.operators.math.Vectors;
import io.croupier.schemas.ModelSpec;
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
    AGAINST_THE_WEIGHTS {
      @Override
      double[] subgradient(int t, double[] weights, SplittableRandom random) {
        double norm = Golden.norm(weights);
        double[] g = new double[D];
        if (norm == 0) {
          g[t % D] = G;
        } else {
          Vectors.scale(G / norm, weights, g);
        }
        return g;
      }
    },
    /** G ||w - u||. */
    TOWARDS_AN_OPTIMUM {
      @Override
      double[] subgradient(int t, double[] weights, SplittableRandom random) {
        double[] g = {weights[0] - 3, weights[1] + 1, weights[2], weights[3] - 0.2};
        Vectors.scale(G / Golden.norm(g), g, g);
        return g;
      }
    },
    /** Lets the learner win in one coordinate, then lose in that one and another. */
    TURNING {
      @Override
      double[] subgradient(int t, double[] weights, SplittableRandom random) {
        double[] g = new double[D];
        g[0] = t % 100 < 30 ? -G : 0.8 * G;
        g[1] = t % 100 < 30 ? 0 : -0.6 * G;
        return g;
      }
    },
    RANDOM {
      @Override
      double[] subgradient(int t, double[] weights, SplittableRandom random) {
        double[] g = new double[D];
        for (int j = 0; j < D; j++) {
          g[j] = random.nextGaussian();
        }
        Vectors.scale(G * random.nextDouble() / Golden.norm(g), g, g);
        return g;
      }
    };

    abstract double[] subgradient(int t, double[] weights, SplittableRandom random);
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
    ModelSpec.Builder builder = ModelSpec.newBuilder();
    try {
      TextFormat.merge("model_id: 'm' " + text, builder);
    } catch (TextFormat.ParseException e) {
      throw new IllegalArgumentException(text, e);
    }
    return Learners.of(builder.setDimension(D).setGradientBound(G).build());
  }

  private static <S extends LearnerState> void play(
      Learner<S> learner, Opponent opponent, Check check) {
    S state = learner.initial();
    Iterate iterate = new Iterate(D);
    SplittableRandom random = new SplittableRandom(8);
    Sums sums = new Sums();
    for (int t = 0; t < ROUNDS; t++) {
      TestRounds.publish(learner, state, iterate);
      double[] direction = direction(state);
      double[] g = opponent.subgradient(t, iterate.weights, random);
      double loss = Vectors.dot(iterate.weights, g);
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
      learner.step(state, TestRounds.ofBound(G, learner, state, g, 0));
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
          learner(learner),
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
        learner("black_box {prior {conjugate {}}}"),
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
        learner("coordinate_wise {prior {conjugate {}}}"),
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
    Learner<?> learner = learner("black_box {}");
    SplittableRandom random = new SplittableRandom(9);
    for (int game = 0; game < 20; game++) {
      assertDirection(learner, random);
    }
  }

  private static <S extends LearnerState> void assertDirection(
      Learner<S> learner, SplittableRandom random) {
    S state = learner.initial();
    double[] gradients = new double[D];
    double losses = 0;
    double squares = 0;
    for (int t = 0; t < ROUNDS; t++) {
      double[] g = new double[D];
      for (int j = 0; j < D; j++) {
        g[j] = 0.3 + Math.tan(Math.PI * (random.nextDouble() - 0.5));
      }
      double[] direction = direction(state);
      losses += Vectors.dot(direction, g);
      squares += Vectors.squaredNorm(g);
      Vectors.add(g, gradients);
      learner.step(state, TestRounds.fresh(learner, state, g, 0));
      assertThat(losses + Golden.norm(gradients)).isLessThanOrEqualTo(3 * Math.sqrt(squares));
    }
  }
}
