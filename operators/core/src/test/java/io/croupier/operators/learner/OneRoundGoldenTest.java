package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

/**
 * Bettors against trajectories computed with 40 digits: rounds of one report and of many, timely
 * and late, of several weights, with a bound that moves, of dense and of sparse reports.
 */
class OneRoundGoldenTest {

  @Test
  void everyCase() {
    JsonNode cases = Golden.read("one_round.json");
    assertThat(cases).hasSize(46);
    for (JsonNode c : cases) {
      switch (c.get("learner").asText()) {
        case "coordinate_wise" -> coordinateWise(c);
        case "banco" -> product(c, banco());
        default -> product(c, TestLearners.bettor(Golden.prior(c)));
      }
    }
  }

  /** The cases have a beta for each round, which takes the place of that of the spec. */
  private static MagnitudeLearner banco() {
    return new MagnitudeLearner(new Prior.Uniform(), new BettingRule.DeclaredNoise(), 1, 1);
  }

  private static void product(JsonNode c, MagnitudeLearner magnitude) {
    int d = c.get("d").asInt();
    double degree = c.get("degree").asDouble();
    var run = new TestRun<>(TestLearners.product(magnitude, degree, InitialWeights.zero(d)));
    var direction = run.state.direction();
    var bettor = run.state.magnitude();
    for (int t = 0; t < c.get("rounds").size(); t++) {
      JsonNode expected = round(run, c, t);
      String at = c.get("name").asText() + " round " + t;
      close(at + " S", bettor.coins(), expected.get("S").asDouble());
      close(
          at + " V",
          new double[] {bettor.upperVariance(), bettor.lowerVariance()},
          Golden.vector(expected.get("V")));
      close(
          at + " h",
          new double[] {bettor.upperBound(), bettor.lowerBound()},
          Golden.vector(expected.get("h")));
      close(at + " N", direction.squaredNorms(), expected.get("N").asDouble());
      close(at + " q", direction.direction, Golden.vector(expected.get("q")));
    }
  }

  /** Plays a round, compares weights and average, and returns what else is expected. */
  private static JsonNode round(TestRun<?> run, JsonNode c, int t) {
    JsonNode expected = c.get("expected").get(t);
    String at = c.get("name").asText() + " round " + t;
    close(at + " w", run.publish(t).weights, Golden.vector(expected.get("w")));
    Round round = new Round();
    fill(round, c.get("rounds").get(t));
    run.step(round);
    close(at + " average", run.describe().average, Golden.vector(expected.get("average")));
    return expected;
  }

  private static void coordinateWise(JsonNode c) {
    int d = c.get("d").asInt();
    var run =
        new TestRun<>(
            new CoordinateWise(
                Golden.prior(c),
                1,
                BallConstraint.NONE,
                new Averaging(c.get("degree").asDouble()),
                InitialWeights.zero(d)));
    CoordinateChunks coordinates = run.state.coordinates();
    for (int t = 0; t < c.get("rounds").size(); t++) {
      JsonNode expected = round(run, c, t);
      String at = c.get("name").asText() + " round " + t;
      for (int i = 0; i < d; i++) {
        close(at + " S", coordinates.coins(i), expected.get("S").get(i).asDouble());
        close(
            at + " V",
            new double[] {coordinates.upper(i), coordinates.lower(i)},
            Golden.vector(expected.get("V").get(i)));
        close(
            at + " h",
            new double[] {coordinates.bound[i], coordinates.lowerBound(i)},
            Golden.vector(expected.get("h").get(i)));
      }
    }
  }

  private static void fill(Round round, JsonNode from) {
    round.clear();
    double bound = from.get("G").asDouble();
    double leastBeta = Double.POSITIVE_INFINITY;
    for (JsonNode p : from.get("parts")) {
      Round.Part part = round.add(p.get("named").asLong());
      part.sum = Golden.vector(p.get("sum"));
      part.weight = p.get("omega").asDouble();
      part.squaredWeight = p.get("omega2").asDouble();
      part.gradientBound = bound;
      part.variance = p.has("variance") ? p.get("variance").asDouble() : 0;
      part.denseWeight = part.weight;
      part.denseSquaredWeight = part.squaredWeight;
      if (p.has("touch")) {
        sparse(part, Golden.vector(p.get("touch")), Golden.vector(p.get("touch2")));
      }
      if (p.has("beta")) {
        leastBeta = Math.min(leastBeta, p.get("beta").asDouble());
      }
    }
    round.reports = 1;
    round.largestWeight = 1 / leastBeta;
  }

  private static void sparse(Round.Part part, double[] touching, double[] squared) {
    int count = 0;
    int[] coordinates = new int[touching.length];
    double[] sum = new double[touching.length];
    double[] touches = new double[touching.length];
    double[] squares = new double[touching.length];
    for (int i = 0; i < touching.length; i++) {
      if (touching[i] > 0) {
        coordinates[count] = i;
        sum[count] = part.sum[i];
        touches[count] = touching[i];
        squares[count++] = squared[i];
      }
    }
    part.coordinates = coordinates;
    part.count = count;
    part.sum = sum;
    part.touching = touches;
    part.touchingSquared = squares;
    part.denseWeight = 0;
    part.denseSquaredWeight = 0;
  }

  private static void close(String at, double actual, double expected) {
    close(at, new double[] {actual}, new double[] {expected});
  }

  private static void close(String at, double[] actual, double[] expected) {
    assertThat(Golden.distance(actual, expected))
        .as(at)
        .isLessThanOrEqualTo(1e-11 * Math.max(1e-2, Golden.norm(expected)));
  }
}
