package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
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
      String at, double[] actual, double[] reference, double largest) {
    assertThat(Golden.distance(actual, reference))
        .as(at)
        .isLessThanOrEqualTo(1e-10 * Golden.norm(reference) + 1e-13 * largest);
  }

  private static ProductLearner product(MagnitudeLearner magnitude, int dimension) {
    return new ProductLearner(
        magnitude, BallConstraint.NONE, new Averaging(0), InitialWeights.zero(dimension));
  }

  @Test
  void banco() {
    int cases = 0;
    for (JsonNode c : Golden.cases("banco.json")) {
      double a = c.get("a").asDouble();
      double variance = c.get("sigma1D2").asDouble();
      int d = c.get("d").asInt();
      double bound = c.get("G").asDouble();
      double betaMax = c.get("betaMax").asDouble();
      assertThat(a).isEqualTo(Math.min(BettingRule.DeclaredNoise.K1 / bound, betaMax));
      var learner =
          product(
              new MagnitudeLearner(
                  new Prior.Uniform(), new BettingRule.DeclaredNoise(), betaMax, 1),
              d);
      var state = learner.initial();
      Iterate iterate = new Iterate(d);
      boolean overflow = c.get("overflow").asBoolean();
      double largest = overflow ? 0 : Golden.largestNorm(c.get("w"));
      boolean saturated = false;
      for (int t = 0; ; t++) {
        String at = c.get("name") + " round " + t;
        TestRounds.publish(learner, state, iterate);
        JsonNode m = c.get("m").get(t);
        JsonNode logM = c.get("logAbsM").get(t);
        if (m.isNull()) {
          saturated = true;
          assertThat(Math.abs(iterate.diagnostics.get("magnitude")))
              .as(at)
              .isEqualTo(MagnitudeLearner.LIMIT);
          assertThat(iterate.diagnostics.get("saturations")).as(at).isPositive();
        } else if (Math.abs(m.asDouble()) < MagnitudeLearner.LIMIT) {
          assertOnTrajectory(at, iterate.weights, Golden.vector(c.get("w").get(t)), largest);
        }
        assertOnTrajectory(at, state.direction().direction, Golden.vector(c.get("q").get(t)), 1);
        if (!logM.isNull() && iterate.diagnostics.containsKey("log-magnitude")) {
          double reference = logM.asDouble();
          assertThat(iterate.diagnostics.get("log-magnitude"))
              .as(at)
              .isCloseTo(reference, within(1e-10 * Math.max(1, Math.abs(reference))));
        }
        if (t > 0 && !saturated) {
          assertOnTrajectory(at, iterate.average, Golden.vector(c.get("avg").get(t - 1)), largest);
        }
        assertThat(iterate.average).as(at).doesNotContain(Double.NaN);
        if (t == c.get("T").asInt()) {
          break;
        }
        double[] g = Golden.vector(c.get("g").get(t));
        learner.step(state, TestRounds.ofBound(bound, learner, state, g, variance));
      }
      assertThat(saturated).as(c.get("name").asText()).isEqualTo(overflow);
      cases++;
    }
    assertThat(cases).isEqualTo(13);
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
    int cases = 0;
    for (JsonNode c : Golden.cases("blackbox.json")) {
      int d = c.get("g").get(0).size();
      Prior prior =
          switch (c.get("prior").asText()) {
            case "improper" -> new Prior.Improper();
            case "conjugate" -> new Prior.Conjugate(c.get("b").asDouble());
            case "uniform" -> new Prior.Uniform();
            default -> new Prior.Cv();
          };
      double bound = gradientBound(c);
      var learner =
          product(
              new MagnitudeLearner(
                  prior, new BettingRule.SquaredCoin(), Double.POSITIVE_INFINITY, 1),
              d);
      var state = learner.initial();
      Iterate iterate = new Iterate(d);
      double largest = Golden.largestNorm(c.get("w"));
      for (int t = 0; t < c.get("g").size(); t++) {
        double[] g = Golden.vector(c.get("g").get(t));
        learner.step(state, TestRounds.ofBound(bound, learner, state, g, 0));
        TestRounds.publish(learner, state, iterate);
        String at = c.get("name") + " round " + t;
        assertOnTrajectory(at, iterate.weights, Golden.vector(c.get("w").get(t + 1)), largest);
        assertOnTrajectory(at, iterate.average, Golden.vector(c.get("avg").get(t)), largest);
      }
      cases++;
    }
    assertThat(cases).isEqualTo(13);
  }

  /** Each coordinate has its own prior, so each coordinate is a separate learner. */
  @Test
  void coordinateWise() {
    int cases = 0;
    for (JsonNode c : Golden.cases("coordinatewise.json")) {
      int d = c.get("d").asInt();
      double largest = Golden.largestNorm(c.get("w"));
      List<CoordinateWise> learners = new ArrayList<>();
      List<CoordinateWise.State> states = new ArrayList<>();
      for (JsonNode b : c.get("b")) {
        learners.add(
            new CoordinateWise(
                new Prior.Conjugate(b.asDouble()),
                1,
                BallConstraint.NONE,
                new Averaging(0),
                InitialWeights.zero(1)));
        states.add(learners.get(learners.size() - 1).initial());
      }
      double[] weights = new double[d];
      double[] average = new double[d];
      for (int t = 0; t < c.get("T").asInt(); t++) {
        for (int j = 0; j < d; j++) {
          double[] g = {c.get("g").get(t).get(j).asDouble()};
          Iterate iterate = new Iterate(1);
          CoordinateWise learner = learners.get(j);
          CoordinateWise.State state = states.get(j);
          learner.step(state, TestRounds.ofBound(gradientBound(c), learner, state, g, 0));
          TestRounds.publish(learner, state, iterate);
          weights[j] = iterate.weights[0];
          average[j] = iterate.average[0];
        }
        String at = c.get("name") + " round " + t;
        assertOnTrajectory(at, weights, Golden.vector(c.get("w").get(t + 1)), largest);
        assertOnTrajectory(at, average, Golden.vector(c.get("avg").get(t)), largest);
      }
      cases++;
    }
    assertThat(cases).isEqualTo(13);
  }

  @Test
  void ldpSgd() {
    int cases = 0;
    for (JsonNode c : Golden.cases("ldp_sgd.json")) {
      double[] start = Golden.vector(c.get("theta0"));
      var learner =
          new LdpSgd(
              c.get("eta").asDouble(),
              c.get("alpha").asDouble(),
              Double.POSITIVE_INFINITY,
              new Averaging(0),
              InitialWeights.of(start));
      var state = learner.initial();
      Iterate iterate = new Iterate(start.length);
      double largest = Golden.largestNorm(c.get("theta"));
      for (int i = 0; i < c.get("T").asInt(); i++) {
        double noise = 2 * c.get("C0").asDouble() / c.get("mu").get(i).asDouble();
        double[] g = Golden.vector(c.get("grad").get(i));
        double[] omega = Golden.vector(c.get("omega").get(i));
        for (int j = 0; j < g.length; j++) {
          g[j] -= noise * omega[j];
        }
        learner.step(state, TestRounds.fresh(learner, state, g, 0));
        TestRounds.publish(learner, state, iterate);
        String at = c.get("loss") + " case " + cases + " step " + i;
        assertOnTrajectory(at, iterate.weights, Golden.vector(c.get("theta").get(i + 1)), largest);
        assertOnTrajectory(at, iterate.average, Golden.vector(c.get("thetaBar").get(i)), largest);
      }
      cases++;
    }
    assertThat(cases).isEqualTo(8);
  }
}
