package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.math.Vectors;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Theorems 4 and 5 of docs/theory/rounds.md: rounds whose reports are late, of numbers that vary.
 * The first round is the largest, so that the unit stays, and the direction receives the gradients
 * as they are.
 */
class DirectionAndAverageTest {
  private static final int D = 2;
  private static final int ROUNDS = 250;

  private static ProductLearner learner(double degree) {
    return TestLearners.blackBox(degree, Memory.INFINITE, InitialWeights.zero(D));
  }

  /** A gradient at a publication. */
  private interface Opponent {
    double[] gradient(int t, double[] weights, double[] direction);
  }

  /** What was published, and the weighted gradients so far. */
  private static final class Game<S extends LearnerState> {
    private final TestRun<S> run;
    private final List<double[]> weights = new ArrayList<>();
    private final List<double[]> directions = new ArrayList<>();
    private final TestRounds.Weighting weighting = new TestRounds.Weighting();
    private final double[] sum = new double[D];
    private double losses;
    private double directionLosses;

    Game(Learner<S> learner) {
      run = new TestRun<>(learner);
    }

    void round(int t, int delay, Opponent opponent, SplittableRandom random) {
      weights.add(run.publish(t).weights.clone());
      run.forget(t - delay);
      directions.add(
          run.state instanceof ProductLearner.State product
              ? product.direction().direction.clone()
              : new double[D]);
      Round round = new Round();
      List<double[]> gradients = new ArrayList<>();
      for (int named = Math.max(0, t - delay); named <= t; named++) {
        if (random.nextInt(3) == 0 || (named == t && gradients.isEmpty())) {
          double[] g = opponent.gradient(t, weights.get(named), directions.get(named));
          gradients.add(g);
          int reports = t == 0 ? 400 : 1 + random.nextInt(40);
          TestRounds.add(round, named, reports, 1, g, 0);
        }
      }
      double lambda = weighting.next(round.weight());
      for (int i = 0; i < gradients.size(); i++) {
        Round.Part part = round.part(i);
        double share = lambda * part.weight / round.weight();
        int named = (int) part.publication;
        Vectors.addScaled(share, gradients.get(i), sum);
        losses += share * Vectors.dot(gradients.get(i), weights.get(named));
        directionLosses += share * Vectors.dot(gradients.get(i), directions.get(named));
      }
      run.step(round);
    }
  }

  /** No hypothesis: gradients have any size, and are late. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 8})
  void theDirectionLosesAtMostThreeRootsOfN(int delay) {
    SplittableRandom random = new SplittableRandom(3);
    List<Opponent> opponents =
        List.of(
            (t, w, q) -> new double[] {random.nextGaussian(), random.nextGaussian()},
            (t, w, q) -> new double[] {q[0] + 0.1, q[1] - 0.2},
            (t, w, q) -> new double[] {t % 40 < 15 ? -1 : 1, 0.5},
            (t, w, q) -> new double[] {Math.tan(3 * random.nextDouble() - 1.5), 0.1},
            (t, w, q) -> new double[] {Math.pow(1.1, t) * (q[0] >= 0 ? 1 : -1), 0});
    for (Opponent opponent : opponents) {
      Game<ProductLearner.State> game = new Game<>(learner(1));
      for (int t = 0; t < ROUNDS; t++) {
        game.round(t, delay, opponent, random);
        double root = Math.sqrt(game.run.state.direction().squaredNorms());
        assertThat(game.directionLosses + Golden.norm(game.sum))
            .as("delay %d, round %d", delay, t)
            .isLessThanOrEqualTo(3 * root * (1 + 1e-12));
      }
    }
  }

  /** Hypothesis: u minimises a convex R, whose subgradients the reports are. */
  @ParameterizedTest
  @CsvSource({"0, 0", "0, 3", "1, 0", "1, 5", "3, 0", "3, 8"})
  void theAverageIsAsGoodAsTheRegret(double degree, int delay) {
    CoordinateWise coordinates =
        TestLearners.coordinates(degree, Memory.INFINITE, InitialWeights.zero(D));
    for (double[] optimum : new double[][] {{0.3, -0.1}, {20, 3}, {0, 0}}) {
      assertAverage(new Game<>(learner(degree)), degree, delay, optimum);
      assertAverage(new Game<>(coordinates), degree, delay, optimum);
    }
  }

  private static void assertAverage(Game<?> game, double degree, int delay, double[] optimum) {
    Opponent opponent =
        (t, w, q) -> {
          double[] g = {w[0] - optimum[0], w[1] - optimum[1]};
          double norm = Golden.norm(g);
          Vectors.scale(norm > 0 ? 1 / norm : 0, g, g);
          return g;
        };
    SplittableRandom random = new SplittableRandom(9);
    for (int t = 0; t < ROUNDS; t++) {
      game.round(t, delay, opponent, random);
      double[] average = game.run.describe().average;
      double risk = Math.hypot(average[0] - optimum[0], average[1] - optimum[1]);
      double regret = game.losses - Vectors.dot(game.sum, optimum);
      assertThat(risk)
          .as("degree %s, delay %d, round %d", degree, delay, t)
          .isLessThanOrEqualTo((degree + 1) * regret / game.weighting.total + 1e-10);
    }
  }
}
