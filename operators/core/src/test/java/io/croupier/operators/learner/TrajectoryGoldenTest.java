package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.operators.math.Vectors;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The papers' learners against trajectories computed with at least 50 digits: every round is one
 * report that names the newest publication.
 */
class TrajectoryGoldenTest {

  /**
   * The tolerance against the reference: relative, with a floor where a trajectory passes near 0.
   */
  private static void assertOnTrajectory(
      String at, double[] actual, JsonNode expected, double largest) {
    double[] reference = Golden.vector(expected);
    assertThat(Golden.distance(actual, reference))
        .as(at)
        .isLessThanOrEqualTo(1e-10 * Golden.norm(reference) + 1e-13 * largest);
  }

  private static TestRun<ProductLearner.State> product(MagnitudeLearner magnitude, int dimension) {
    return new TestRun<>(TestLearners.product(magnitude, 0, InitialWeights.zero(dimension)));
  }

  @Test
  void banco() {
    for (JsonNode c : Golden.cases("banco.json", 13)) {
      double a = c.get("a").asDouble();
      double variance = c.get("sigma1D2").asDouble();
      double bound = c.get("G").asDouble();
      double betaMax = c.get("betaMax").asDouble();
      assertThat(a).isEqualTo(Math.min(BettingRule.DeclaredNoise.K1 / bound, betaMax));
      MagnitudeLearner magnitude =
          new MagnitudeLearner(new Prior.Uniform(), new BettingRule.DeclaredNoise(), betaMax, 1);
      var run = product(magnitude, c.get("d").asInt());
      boolean overflow = c.get("overflow").asBoolean();
      double largest = overflow ? 0 : Golden.largestNorm(c.get("w"));
      boolean saturated = false;
      for (int t = 0; ; t++) {
        String at = c.get("name") + " round " + t;
        Iterate iterate = run.publish();
        JsonNode m = c.get("m").get(t);
        JsonNode logM = c.get("logAbsM").get(t);
        if (m.isNull()) {
          saturated = true;
          assertThat(Math.abs(iterate.diagnostics.get("magnitude")))
              .as(at)
              .isEqualTo(MagnitudeLearner.LIMIT);
          assertThat(iterate.diagnostics.get("saturations")).as(at).isPositive();
        } else if (Math.abs(m.asDouble()) < MagnitudeLearner.LIMIT) {
          assertOnTrajectory(at, iterate.weights, c.get("w").get(t), largest);
        }
        assertOnTrajectory(at, run.state.direction().direction, c.get("q").get(t), 1);
        if (!logM.isNull() && iterate.diagnostics.containsKey("log-magnitude")) {
          double reference = logM.asDouble();
          assertThat(iterate.diagnostics.get("log-magnitude"))
              .as(at)
              .isCloseTo(reference, within(1e-10 * Math.max(1, Math.abs(reference))));
        }
        if (t > 0 && !saturated) {
          assertOnTrajectory(at, iterate.average, c.get("avg").get(t - 1), largest);
        }
        assertThat(iterate.average).as(at).doesNotContain(Double.NaN);
        if (t == c.get("T").asInt()) {
          break;
        }
        run.step(bound, Golden.vector(c.get("g").get(t)), variance);
      }
      assertThat(saturated).as(c.get("name").asText()).isEqualTo(overflow);
    }
  }

  /** Betting fractions reach C = 1 / (5 G). */
  private static double gradientBound(JsonNode c) {
    double halfWidth = c.get("C").asDouble();
    double bound = c.get("G").asDouble();
    assertThat(halfWidth * bound).isCloseTo(0.2, within(1e-16));
    return bound;
  }

  @Test
  void blackBox() {
    for (JsonNode c : Golden.cases("blackbox.json", 13)) {
      var run = product(TestLearners.bettor(Golden.prior(c)), c.get("g").get(0).size());
      double largest = Golden.largestNorm(c.get("w"));
      for (int t = 0; t < c.get("g").size(); t++) {
        run.step(gradientBound(c), Golden.vector(c.get("g").get(t)), 0);
        Iterate iterate = run.publish();
        String at = c.get("name") + " round " + t;
        assertOnTrajectory(at, iterate.weights, c.get("w").get(t + 1), largest);
        assertOnTrajectory(at, iterate.average, c.get("avg").get(t), largest);
      }
    }
  }

  /** Each coordinate has its own prior, so each coordinate is a separate learner. */
  @Test
  void coordinateWise() {
    for (JsonNode c : Golden.cases("coordinatewise.json", 13)) {
      int d = c.get("d").asInt();
      double largest = Golden.largestNorm(c.get("w"));
      List<TestRun<CoordinateWise.State>> runs = new ArrayList<>();
      for (JsonNode b : c.get("b")) {
        runs.add(
            new TestRun<>(
                new CoordinateWise(
                    new Prior.Conjugate(b.asDouble()),
                    1,
                    BallConstraint.NONE,
                    new Averaging(0),
                    InitialWeights.zero(1))));
      }
      double[] weights = new double[d];
      double[] average = new double[d];
      for (int t = 0; t < c.get("T").asInt(); t++) {
        for (int j = 0; j < d; j++) {
          double[] g = {c.get("g").get(t).get(j).asDouble()};
          runs.get(j).step(gradientBound(c), g, 0);
          Iterate iterate = runs.get(j).publish();
          weights[j] = iterate.weights[0];
          average[j] = iterate.average[0];
        }
        String at = c.get("name") + " round " + t;
        assertOnTrajectory(at, weights, c.get("w").get(t + 1), largest);
        assertOnTrajectory(at, average, c.get("avg").get(t), largest);
      }
    }
  }

  @Test
  void ldpSgd() {
    for (JsonNode c : Golden.cases("ldp_sgd.json", 8)) {
      var run =
          new TestRun<>(
              new LdpSgd(
                  c.get("eta").asDouble(),
                  c.get("alpha").asDouble(),
                  Double.POSITIVE_INFINITY,
                  new Averaging(0),
                  InitialWeights.of(Golden.vector(c.get("theta0")))));
      double largest = Golden.largestNorm(c.get("theta"));
      for (int i = 0; i < c.get("T").asInt(); i++) {
        double noise = 2 * c.get("C0").asDouble() / c.get("mu").get(i).asDouble();
        double[] g = Golden.vector(c.get("grad").get(i));
        Vectors.addScaled(-noise, Golden.vector(c.get("omega").get(i)), g);
        run.step(g);
        Iterate iterate = run.publish();
        String at = c.get("loss") + " step " + i;
        assertOnTrajectory(at, iterate.weights, c.get("theta").get(i + 1), largest);
        assertOnTrajectory(at, iterate.average, c.get("thetaBar").get(i), largest);
      }
    }
  }
}
