package io.croupier.operators.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.TextFormat;
import io.croupier.operators.learner.Golden;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.Report;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Models whose clip moves, from single reports on, against trajectories computed with 60 digits.
 * The state of each model is written by hand where a tracker would move the clip.
 */
class MovingClipGoldenTest {

  @Test
  void modelsFollowTheReference() throws Exception {
    int cases = 0;
    for (JsonNode c : Golden.cases("adaptive_radius.json")) {
      follow(c);
      cases++;
    }
    assertThat(cases).isEqualTo(6);
  }

  /** A round of the reference closes on its timeout, so that it has any number of reports. */
  private static void follow(JsonNode c) throws Exception {
    ModelSpec spec =
        TextFormat.parse(
            "model_id: 'm' dimension: %d reports_per_round: 9 adaptive_radius {} adaptive_clip {"
                    .formatted(c.get("d").asInt())
                + " initial: 2 size: GRADIENT }",
            ModelSpec.class);
    ReportIntake intake = new ReportIntake(spec, 0);
    double largestWeights = Golden.largestNorm(c.get("w"));
    double largestAverage = Golden.largestNorm(c.get("avg"));
    JsonNode rounds = c.get("rounds");
    Map<String, byte[]> chunks = new HashMap<>();
    LiveModel model = LiveModel.begin(spec, 0);
    for (int t = 0; t <= rounds.size(); t++) {
      String at = c.get("name") + " round " + t;
      double clip = rounds.get(Math.min(t, rounds.size() - 1)).get("c").asDouble();
      model = withClip(clip, model, chunks);
      ModelUpdate update =
          ModelUpdate.parseFrom(model.publish(true, 0).orElseThrow().toByteArray());
      model.confirm();
      assertThat(update.getRound()).as(at).isEqualTo(t);
      assertThat(update.getGradientBound()).as(at).isEqualTo(clip);
      if (t > 0) {
        assertThat(
                Golden.distance(
                    array(update.getAverageList()), Golden.vector(c.get("avg").get(t - 1))))
            .as(at)
            .isLessThanOrEqualTo(1e-12 * largestAverage);
        assertRelative(at, update, "radius", c.get("r").get(t - 1), 0);
        assertRelative(at, update, "mean-squared-norm", c.get("a").get(t - 1), 0);
        assertRelative(at, update, "log-evidence", c.get("logF").get(t - 1), 1);
      }
      if (t < rounds.size()) {
        assertThat(
                Golden.distance(array(update.getWeightsList()), Golden.vector(c.get("w").get(t))))
            .as(at)
            .isLessThanOrEqualTo(1e-12 * largestWeights);
        for (JsonNode report : rounds.get(t).get("reports")) {
          int named = report.get("round").asInt();
          double bound = rounds.get(named).get("c").asDouble();
          model.add(intake.withoutUser(report(named, bound, Golden.vector(report.get("g")))));
        }
        model.closeRound();
      }
    }
  }

  private static Report report(int round, double bound, double[] gradient) {
    Report report = new Report();
    report.modelId = "m";
    report.round = round;
    report.gradientBound = bound;
    report.dimension = gradient.length;
    report.values = PackedVectors.encode(gradient);
    return report;
  }

  /** The same model, after scouting, whose next publication has this clip. */
  private static LiveModel withClip(double clip, LiveModel model, Map<String, byte[]> chunks) {
    model.save(chunks::put);
    chunks.put("clip", bytes(Double.doubleToRawLongBits(clip)));
    chunks.put("clip-information", bytes(Double.doubleToRawLongBits(300)));
    chunks.put("clip-publications", bytes(6));
    LiveModel restored = LiveModel.begin(model.spec(), 0);
    restored.restore(chunks::get);
    return restored;
  }

  private static byte[] bytes(long value) {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
  }

  private static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private static void assertRelative(
      String at, ModelUpdate update, String diagnostic, JsonNode reference, double smallest) {
    double size = Math.max(smallest, Math.abs(reference.asDouble()));
    assertThat(update.getDiagnosticsOrThrow(diagnostic))
        .as(at + " " + diagnostic)
        .isCloseTo(reference.asDouble(), within(1e-12 * size));
  }
}
