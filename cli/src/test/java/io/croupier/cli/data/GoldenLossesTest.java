package io.croupier.cli.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/**
 * Losses and gradients against golden values of 40 digits, with which the tests of croupier.js
 * compare the losses of browsers.
 */
class GoldenLossesTest {
  private static final Path GOLDEN =
      Path.of("..", "javascript", "src", "test", "resources", "golden", "losses.json");

  private static double[] doubles(JsonElement array) {
    return StreamSupport.stream(array.getAsJsonArray().spliterator(), false)
        .mapToDouble(JsonElement::getAsDouble)
        .toArray();
  }

  private static PredictionLoss loss(JsonObject one) {
    return switch (one.get("loss").getAsString()) {
      case "logistic" -> new LogisticLoss();
      case "squared" -> new SquaredLoss();
      case "absolute" -> new AbsoluteLoss();
      case "softmax" -> new SoftmaxLoss(one.get("classes").getAsInt());
      default -> new HuberLoss(one.get("c").getAsDouble(), one.get("scale").getAsDouble());
    };
  }

  private static void assertClose(double actual, double expected, String what) {
    assertThat(actual)
        .as(what)
        .isCloseTo(expected, within(1e-14 * Math.max(1, Math.abs(expected))));
  }

  @Test
  void lossesAndGradientsAreTheGoldenOnes() throws IOException {
    JsonArray cases =
        JsonParser.parseString(Files.readString(GOLDEN)).getAsJsonObject().getAsJsonArray("cases");
    for (JsonElement element : cases) {
      JsonObject one = element.getAsJsonObject();
      JsonArray rows = one.getAsJsonArray("features");
      double[] weights = doubles(one.get("weights"));
      double[] features =
          StreamSupport.stream(rows.spliterator(), false)
              .map(GoldenLossesTest::doubles)
              .flatMapToDouble(java.util.Arrays::stream)
              .toArray();
      double[] targets = doubles(one.get("targets"));
      double[] importance = doubles(one.get("importance"));
      Problem problem = new Problem(features, targets, importance, loss(one));
      double[] mallows =
          Mallows.weights(features, features.length / rows.size(), one.get("k").getAsDouble());
      for (int i = 0; i < rows.size(); i++) {
        String what = one.get("loss") + ", row " + i;
        double[] gradient = new double[weights.length];
        problem.gradient(i, weights, gradient);
        double[] expected = doubles(one.getAsJsonArray("gradients").get(i));
        for (int j = 0; j < weights.length; j++) {
          assertClose(gradient[j], expected[j], what);
        }
        double norm = doubles(one.get("norms"))[i];
        assertClose(problem.featureNorm(i), importance[i] * norm, what);
        assertClose(mallows[i], doubles(one.get("mallows"))[i], what);
        Problem single =
            new Problem(
                doubles(rows.get(i)), new double[] {targets[i]}, new double[] {1}, loss(one));
        assertClose(
            importance[i] * single.score(weights).loss(), doubles(one.get("losses"))[i], what);
      }
    }
    assertThat(cases).hasSize(64);
  }
}
