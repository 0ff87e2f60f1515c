package io.croupier.client;

import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.loss.AbsoluteLoss;
import io.croupier.client.loss.HuberLoss;
import io.croupier.client.loss.LogisticLoss;
import io.croupier.client.loss.PredictionLoss;
import io.croupier.client.loss.SoftmaxLoss;
import io.croupier.client.loss.SquaredLoss;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.schemas.Accuracy;
import io.croupier.schemas.Question;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/**
 * Losses and gradients against golden values of 40 digits, with which the tests of croupier.js
 * compare the losses of browsers.
 */
class RowsTest {
  private static final Path GOLDEN =
      Path.of("../javascript/tests/src/test/resources/golden/losses.json");

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
              .map(RowsTest::doubles)
              .flatMapToDouble(java.util.Arrays::stream)
              .toArray();
      double[] targets = doubles(one.get("targets"));
      double[] importance = doubles(one.get("importance"));
      Rows all = new Rows(features, targets, importance, loss(one));
      double[] mean = new double[weights.length];
      for (int i = 0; i < rows.size(); i++) {
        String what = one.get("loss") + ", row " + i;
        double[] gradient = new double[weights.length];
        all.gradient(i, weights, gradient);
        double[] expected = doubles(one.getAsJsonArray("gradients").get(i));
        for (int j = 0; j < weights.length; j++) {
          assertClose(gradient[j], expected[j], what);
          mean[j] += expected[j] / rows.size();
        }
        double norm = doubles(one.get("norms"))[i];
        assertClose(all.featureNorm(i), importance[i] * norm, what);
        assertClose(all.loss(i, weights), doubles(one.get("losses"))[i], what);
      }
      double[] gradient = all.gradient(weights);
      for (int j = 0; j < weights.length; j++) {
        assertThat(gradient[j]).isCloseTo(mean[j], within(1e-12 * Math.max(1, Math.abs(mean[j]))));
      }
    }
    assertThat(cases).hasSize(64);
  }

  private static final Map<String, ?> DAY =
      Map.of("minutesWalked", 45, "hoursSlept", 9, "shift", "night");

  /** With the features of examples/wellbeing.yaml. */
  private static ModelSnapshot wellbeing(double... weights) {
    return Updates.parse(
        Updates.update("wellbeing-1", 3, weights),
        """
        features { name: 'one' intercept {} }
        features { name: 'minutesWalked' range { from: 0 to: 180 } }
        features { name: 'hoursSlept' range { from: 0 to: 12 } }
        features { name: 'shift' one_hot { categories: ['day', 'night', 'none'] } }
        """);
  }

  @Test
  void rowsTakePartInARound() {
    ModelSnapshot model = wellbeing(-0.3, 0, 0, 0, 0, 0);
    Question accuracy =
        Question.newBuilder()
            .setName("accuracy")
            .setAccuracy(Accuracy.getDefaultInstance())
            .build();
    for (int well : new int[] {0, 1}) {
      Rows rows = Rows.of(model.features().vector(DAY), well, new LogisticLoss());
      Participant ada = rows.at(model);
      assertThat(ada.gradient()).isEqualTo(rows.gradient(model.weights()));
      assertThat(ada.size()).isEqualTo(Sizes.norm(ada.gradient()));
      assertThat(ada.canAnswer(accuracy)).isTrue();
      assertThat(ada.answer(accuracy)).isEqualTo(well == 0);
      assertThat(ada).hasToString("Rows at round 3 of model wellbeing-1");
      assertThat(rows).hasToString("Rows[dimension=6]");
    }
    Rows numbers = Rows.of(model.features().vector(DAY), 1, new SquaredLoss());
    assertThat(numbers.at(model).canAnswer(accuracy)).isFalse();
    assertThatThrownBy(() -> numbers.answer(accuracy, 0, model.average()))
        .hasMessageContaining("accuracy");
  }

  /** The same rows have the same key, and others another one. */
  @Test
  void theKeyIsADigestOfTheRows() {
    LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);
    double[][] x = {{1, 2}, {3, 4}};
    List<Rows> different =
        List.of(
            Rows.of(x, new double[] {0, 1}, new LogisticLoss()),
            Rows.of(x, new double[] {1, 1}, new LogisticLoss()),
            Rows.of(new double[][] {{3, 4}, {1, 2}}, new double[] {0, 1}, new LogisticLoss()),
            Rows.of(
                new double[][] {{1}, {2}, {3}, {4}}, new double[] {0, 1, 0, 1}, new LogisticLoss()),
            Rows.of(new double[] {1, 2}, 0, new LogisticLoss()),
            Rows.of(new double[] {1, 2}, 1, new LogisticLoss()));
    for (Rows rows : different) {
      ledger.release(
          "m", rows.key(), new L2LaplaceRandomiser(1, 2, -16, 1).cost(), s -> new byte[1]);
    }
    Rows again = Rows.of(x.clone(), new double[] {0, 1}, new LogisticLoss());
    assertThat(ledger.reported("m", again.key())).isEqualTo(1);
  }

  @Test
  void rowsAreCheckedWhenTheyAreMade() {
    PredictionLoss logistic = new LogisticLoss();
    assertRefused(
        () -> Rows.of(new double[] {1, Double.NaN}, 0, logistic),
        "a feature is not finite; it must be a finite number");
    assertThatThrownBy(() -> Rows.of(new double[] {1}, 0.5, logistic))
        .hasMessage("a target is malformed; it must be a whole number from 0 to 1");
    assertThatThrownBy(() -> Rows.of(new double[] {1}, 3, new SoftmaxLoss(3)))
        .hasMessage("a target is malformed; it must be a whole number from 0 to 2");
    assertThatThrownBy(() -> Rows.of(new double[] {1}, Double.NaN, new SquaredLoss()))
        .hasMessage("a target is malformed; it must be a finite number");
    assertThatThrownBy(() -> Rows.of(new double[][] {{1}, {1, 2}}, new double[2], logistic))
        .hasMessage("a row has 2 features, another has 1; all must have as many");
    assertThatThrownBy(() -> Rows.of(new double[][] {{1}, {1}}, new double[1], logistic))
        .hasMessageStartingWith("features, targets and importance have 2, 1 and 2 values");
    assertThatThrownBy(() -> Rows.of(new double[0][], new double[0], logistic))
        .hasMessageStartingWith("features, targets and importance have 0, 0 and 0 values");
    assertThatThrownBy(() -> Rows.of(new double[] {1, 2}, 0, logistic).at(wellbeing(new double[6])))
        .hasMessage("the rows make 2 weights; model wellbeing-1 has 6");
    ModelSnapshot featuresClip =
        Updates.parse(Updates.update("m", 0, 0, 0), "size: FEATURES slope_bound: 1");
    assertThatThrownBy(() -> Rows.of(new double[] {1, 2}, 0, new SquaredLoss()).at(featuresClip))
        .hasMessageContaining("requires a loss of bounded slope");
  }
}
