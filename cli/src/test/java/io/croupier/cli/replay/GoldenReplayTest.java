package io.croupier.cli.replay;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelUpdate;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replayed reports give the reference trajectories, computed with at least 50 digits. Cases with
 * gradients that a job trims, or whose first bets depend on the rounding of reports, are tested
 * with the learners alone.
 */
class GoldenReplayTest {
  /** Reports are rounded to 2^-25 G. */
  private static final double TOLERANCE = 1e-6;

  @TempDir private Path directory;

  @Test
  void banco() throws Exception {
    assertOnTrajectories(
        "banco.json",
        Set.of("constant", "alternating", "noiseless-drift", "sparse", "all-zero"),
        c ->
            "banco: {strongestNoise: {subExponential: {variance: %s, betaMax: %s}}}"
                .formatted(c.get("sigma1D2"), c.get("betaMax")));
  }

  @Test
  void blackBox() throws Exception {
    assertOnTrajectories(
        "blackbox.json",
        Set.of(
            "constant",
            "alternating",
            "zeros-then-signal",
            "noiseless-drift",
            "sparse",
            "tiny",
            "all-zero"),
        c -> {
          String prior = c.get("prior").getAsString();
          return "blackBox: {prior: {%s: {%s}}}"
              .formatted(prior, prior.equals("conjugate") ? "b: " + c.get("b") : "");
        });
  }

  private void assertOnTrajectories(
      String file, Set<String> names, Function<JsonObject, String> learner) throws Exception {
    List<JsonObject> cases =
        cases(file).stream().filter(c -> names.contains(c.get("name").getAsString())).toList();
    assertThat(cases).hasSameSizeAs(names);
    for (JsonObject c : cases) {
      String name = file + ", " + c.get("name").getAsString();
      List<ModelUpdate> updates = replay(c, learner.apply(c));
      JsonArray weights = c.getAsJsonArray("w");
      JsonArray averages = c.getAsJsonArray("avg");
      assertThat(updates).as(name).hasSize(weights.size());
      double largest = 0;
      for (JsonElement w : weights) {
        largest = Math.max(largest, norm(vector(w)));
      }
      for (int t = 0; t < weights.size(); t++) {
        String at = name + ", round " + t;
        ModelUpdate update = updates.get(t);
        assertThat(update.getRound()).as(at).isEqualTo(t);
        assertThat(update.getUsed()).as(at).isEqualTo(t);
        assertClose(at, vector(update.getWeightsList()), weights.get(t), largest);
        if (t > 0) {
          assertClose(at, vector(update.getAverageList()), averages.get(t - 1), largest);
        }
      }
    }
  }

  private List<ModelUpdate> replay(JsonObject c, String learner) throws Exception {
    ReplayFolder folder = new ReplayFolder(directory);
    JsonArray gradients = c.getAsJsonArray("g");
    folder.write(
        "models.yaml",
        "- {modelId: m, dimension: %d, gradientBound: %s, averaging: {uniform: {}}, %s}"
            .formatted(gradients.get(0).getAsJsonArray().size(), c.get("G"), learner));
    List<GradientReport> reports = new ArrayList<>();
    for (int t = 0; t < gradients.size(); t++) {
      reports.add(ReplayFolder.report("m", t, "ada", t, vector(gradients.get(t))).build());
    }
    folder.writeJson("reports.jsonl", reports);
    folder.run("--models models.yaml --reports reports.jsonl --updates updates.jsonl").succeeded();
    return folder.updates("updates.jsonl");
  }

  private static void assertClose(
      String at, double[] actual, JsonElement reference, double largest) {
    double[] expected = vector(reference);
    double[] difference = new double[expected.length];
    for (int j = 0; j < expected.length; j++) {
      difference[j] = actual[j] - expected[j];
    }
    assertThat(norm(difference)).as(at).isLessThanOrEqualTo(TOLERANCE * largest);
  }

  private static List<JsonObject> cases(String file) throws Exception {
    try (Reader reader =
        new InputStreamReader(
            GoldenReplayTest.class.getResourceAsStream("/golden/" + file),
            StandardCharsets.UTF_8)) {
      return JsonParser.parseReader(reader)
          .getAsJsonObject()
          .getAsJsonArray("cases")
          .asList()
          .stream()
          .map(JsonElement::getAsJsonObject)
          .toList();
    }
  }

  private static double[] vector(JsonElement array) {
    return array.getAsJsonArray().asList().stream().mapToDouble(JsonElement::getAsDouble).toArray();
  }

  private static double[] vector(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private static double norm(double[] v) {
    double norm = 0;
    for (double x : v) {
      norm = Math.hypot(norm, x);
    }
    return norm;
  }
}
