package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.math.Vectors;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.LocalModels;
import io.croupier.operators.model.TestSums;
import io.croupier.operators.report.Specs;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BallConstraintTest {
  private static final int D = 4;

  private static LiveModel model(String rest) {
    return LiveModel.begin(Specs.of(D, 1, rest), 0);
  }

  private static double[] randomVector(Random random, double norm) {
    double[] v = random.doubles(D, -1, 1).toArray();
    Vectors.scale(norm / Math.sqrt(Vectors.squaredNorm(v)), v, v);
    return v;
  }

  /** [CO18, Theorem 3]: the regret against u at w is at most twice the surrogate regret at z. */
  @Test
  void theSurrogateLossBoundsTheRegretOfTheProjection() {
    Random random = new Random(1);
    int outside = 0;
    for (int i = 0; i < 20_000; i++) {
      double bound = Math.pow(10, random.nextInt(7) - 3);
      double radius = Math.pow(10, random.nextInt(7) - 3);
      BallConstraint ball = new BallConstraint(radius);
      double[] q = randomVector(random, random.nextDouble());
      double norm = Math.sqrt(Vectors.squaredNorm(q));
      double magnitude = 3 * radius * random.nextGaussian();
      double[] g = randomVector(random, bound * random.nextDouble());
      double[] u = randomVector(random, radius * random.nextDouble());

      double played = ball.project(magnitude, norm);
      double pull = ball.pull(magnitude, norm);
      double[] h = g.clone();
      Vectors.addScaled(bound * pull, q, h);
      Vectors.scale(ball.share(), h, h);

      outside += pull != 0 ? 1 : 0;
      double rounding = 1e-12 * bound * (radius + Math.abs(magnitude));
      assertThat(Math.abs(played) * norm).isLessThanOrEqualTo(radius * (1 + 1e-14));
      assertThat(Math.sqrt(Vectors.squaredNorm(h))).isLessThanOrEqualTo(bound * (1 + 1e-14));
      assertThat(played * Vectors.dot(g, q) - Vectors.dot(g, u))
          .isLessThanOrEqualTo(2 * (magnitude * Vectors.dot(h, q) - Vectors.dot(h, u)) + rounding);
    }
    assertThat(outside).isBetween(2_000, 18_000);
  }

  @Test
  void withoutARadiusNothingChanges() {
    BallConstraint none = BallConstraint.NONE;
    assertThat(none.isActive()).isFalse();
    assertThat(none.share()).isEqualTo(1);
    assertThat(none.project(-1e150, 2)).isEqualTo(-1e150);
    assertThat(none.pull(1e150, 2)).isZero();
  }

  @Test
  void refusesInvalidRadii() {
    for (double radius : new double[] {0, -1, Double.NaN}) {
      assertThatThrownBy(() -> new BallConstraint(radius))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("radius is " + radius);
    }
  }

  /**
   * The optimum is at distance 3, the ball has radius 1; most reports are stale, and a round has
   * three.
   */
  @Test
  void aModelInABallFindsTheNearestPointOfTheBall() {
    double[] start = {5, 0, 0, -5};
    LiveModel model =
        model("reports_per_round: 3 black_box { radius: 1 } initial_weights: [5, 0, 0, -5]");
    Random random = new Random(2);
    double[] optimum = {5, 3, 0, -5};
    double[] weights = start;
    long named = 0;
    ModelUpdateView update = model.publish(true, 0).orElseThrow();
    for (int i = 0; i < 60_000; i++) {
      double[] g = new double[D];
      Vectors.add(weights, g);
      Vectors.addScaled(-1, optimum, g);
      Vectors.scale(1 / Math.max(1, Math.sqrt(Vectors.squaredNorm(g))), g, g);
      for (int j = 0; j < D; j++) {
        g[j] += random.nextGaussian();
      }
      model.add(TestSums.dense(named, g));
      if (i % 20 == 0) {
        update = model.publish(true, i).orElseThrow();
        weights = LocalModels.weights(update);
        named = update.getRound();
        assertThat(Golden.distance(weights, start)).isLessThanOrEqualTo(1 + 1e-12);
      }
    }
    assertThat(update.getDroppedStale()).isZero();
    double[] average = LocalModels.average(update);
    assertThat(average[1]).isCloseTo(1, within(0.1));
    assertThat(Golden.distance(average, start)).isLessThanOrEqualTo(1 + 1e-12);
  }

  /**
   * Outside of the ball, reports of gradient 0 still pull the weights back; inside, they change
   * nothing.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void thePullReachesTheLearner(int reportsPerRound) {
    LiveModel model =
        model("reports_per_round: %d black_box { radius: 0.1 }".formatted(reportsPerRound));
    double magnitude = magnitude(model.publish(true, 0).orElseThrow());
    while (magnitude <= 0.1) {
      magnitude = round(model, reportsPerRound, -1);
    }
    while (magnitude > 0.1) {
      double pulled = round(model, reportsPerRound, 0);
      assertThat(pulled).isLessThan(magnitude);
      magnitude = pulled;
    }
    assertThat(round(model, reportsPerRound, 0)).isEqualTo(magnitude);
  }

  /** The magnitude after a round of reports of the present model, all with one gradient. */
  private static double round(LiveModel model, int reports, double gradient) {
    long named = model.round();
    for (int i = 0; i < reports; i++) {
      model.add(TestSums.dense(named, new double[] {gradient, 0, 0, 0}));
    }
    return magnitude(model.publish(true, 0).orElseThrow());
  }

  private static double magnitude(ModelUpdateView update) {
    return update.getDiagnosticsMap().get("magnitude");
  }
}
