package io.croupier.operators.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.operators.learner.Golden;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Learners;
import io.croupier.operators.learner.Round;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.math.Vectors;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AdaptiveRadius;
import io.croupier.schemas.ModelSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Trim and adaptive radius against trajectories computed with 60 digits; the bound may move. */
class AdaptiveRadiusGoldenTest {

  @Test
  void trimmedReportsAndTheirLearnerFollowTheReference() {
    int cases = 0;
    for (JsonNode c : Golden.cases("adaptive_radius.json")) {
      follow(c, learner(c.get("d").asInt(), c.get("rounds").get(0).get("c").asDouble()));
      cases++;
    }
    assertThat(cases).isEqualTo(6);
  }

  @SuppressWarnings("unchecked")
  private static Learner<LearnerState> learner(int dimension, double gradientBound) {
    ModelSpec spec =
        ModelSpec.newBuilder()
            .setDimension(dimension)
            .setGradientBound(gradientBound)
            .setAdaptiveRadius(AdaptiveRadius.getDefaultInstance())
            .build();
    return (Learner<LearnerState>) Learners.of(spec);
  }

  private static void follow(JsonNode c, Learner<LearnerState> learner) {
    int d = learner.dimension();
    LearnerState state = learner.initial();
    Iterate iterate = new Iterate(d);
    Round round = new Round(d);
    List<double[]> directions = new ArrayList<>();
    double largestWeights = Golden.largestNorm(c.get("w"));
    double largestAverage = Golden.largestNorm(c.get("avg"));
    double[] z = new double[d];
    JsonNode rounds = c.get("rounds");
    assertThat(rounds.size()).isEqualTo(50);
    for (int t = 0; t < rounds.size(); t++) {
      String at = c.get("name") + " round " + t;
      learner.publish(state, iterate);
      assertThat(Golden.distance(iterate.weights, Golden.vector(c.get("w").get(t))))
          .as(at)
          .isLessThanOrEqualTo(1e-12 * largestWeights);
      learner.direction(state, z);
      directions.add(z.clone());
      fill(round, t, rounds, directions);
      assertThat(round.coin).as(at).isCloseTo(c.get("coin").get(t).asDouble(), within(4e-12));
      learner.step(state, round);

      learner.publish(state, iterate);
      learner.direction(state, z);
      assertThat(Golden.distance(z, Golden.vector(c.get("z").get(t))))
          .as(at)
          .isLessThanOrEqualTo(2e-12);
      assertThat(Golden.distance(iterate.average, Golden.vector(c.get("avg").get(t))))
          .as(at)
          .isLessThanOrEqualTo(1e-12 * largestAverage);
      assertRelative(at, iterate.diagnostics.get("radius"), c.get("r").get(t), 0);
      assertRelative(at, iterate.diagnostics.get("mean-squared-norm"), c.get("a").get(t), 0);
      assertRelative(at, iterate.diagnostics.get("log-evidence"), c.get("logF").get(t), 1);
    }
  }

  /** The mean of the trimmed reports, each in units of the bound of the round that it names. */
  private static void fill(Round round, int t, JsonNode rounds, List<double[]> directions) {
    double[] mean = round.subgradient;
    Arrays.fill(mean, 0);
    round.coin = 0;
    round.gradientBound = rounds.get(t).get("c").asDouble();
    JsonNode reports = rounds.get(t).get("reports");
    double[] h = new double[mean.length];
    for (JsonNode report : reports) {
      int named = report.get("round").asInt();
      double bound = rounds.get(named).get("c").asDouble();
      RoundSum sum = new RoundSum();
      sum.form = VectorForm.DENSE;
      sum.values = PackedVectors.encode(Golden.vector(report.get("g")));
      new Trim(bound, 0).apply(sum);
      PackedVectors.decode(sum.form, sum.values, sum.indices, 0, 1 / bound, h);
      Vectors.add(h, mean);
      round.coin += Vectors.dot(h, directions.get(named));
    }
    Vectors.scale(1.0 / reports.size(), mean, mean);
    round.coin /= reports.size();
    round.squaredNorm = Vectors.squaredNorm(mean);
  }

  private static void assertRelative(
      String at, double actual, JsonNode reference, double smallest) {
    double size = Math.max(smallest, Math.abs(reference.asDouble()));
    assertThat(actual).as(at).isCloseTo(reference.asDouble(), within(1e-12 * size));
  }
}
