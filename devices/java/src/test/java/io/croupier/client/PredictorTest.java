package io.croupier.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.protobuf.TextFormat;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.loss.LogisticLoss;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Question;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PredictorTest {
  /** With this file the tests of croupier.js and of the Python package compare their gradients. */
  private static final Path GOLDEN = Path.of("../../devices/python/tests/golden/predictions.json");

  private static final int UPDATES = 10;
  private static final int ROWS = 100;
  private static final String FEATURES =
      "features { name: 'one' intercept {} } features { name: 'walked' range { from: 0 to: 180 } }"
          + " features { name: 'well' yes_no {} }"
          + " features { name: 'shift' one_hot { categories: 'day' categories: 'night' } } ";
  private static final String RANGE = "range { from: -3 to: 10 }";

  /** Each loss, and what its label is. */
  private static final Map<String, String> LOSSES =
      Map.of(
          "logistic", "logistic {}",
          "hinge", "hinge {}",
          "softmax", "softmax { classes: 'a' classes: 'b' classes: 'c' }",
          "squared", "squared { " + RANGE + " }",
          "pinball", "pinball { level: 0.3 " + RANGE + " }");

  private static ModelUpdate update(String loss, double... weights) {
    ModelUpdate.Builder update =
        ModelUpdate.newBuilder()
            .setModelId("m")
            .setRound(3)
            .setGradientBound(1)
            .setGridExponent(ModelSpecs.gridExponent(1));
    for (double weight : weights) {
      update.addWeights(weight).addAverage(weight / 2);
    }
    try {
      TextFormat.merge(FEATURES + "predicts { label: 'y' " + LOSSES.get(loss) + " }", update);
    } catch (TextFormat.ParseException e) {
      throw new IllegalArgumentException(loss, e);
    }
    return update.build();
  }

  private static ModelSnapshot model(String loss, double... weights) {
    return ModelSnapshot.parse(update(loss, weights).toByteArray());
  }

  private static ModelSnapshot model(String loss) {
    return model(loss, new double[loss.equals("softmax") ? 15 : 5]);
  }

  private static Map<String, Object> row(Object label) {
    Map<String, Object> row = new HashMap<>();
    row.putAll(Map.of("walked", 45, "well", true, "shift", "night", "y", label));
    return row;
  }

  private static Object label(String loss) {
    return switch (loss) {
      case "softmax" -> "c";
      case "logistic", "hinge" -> true;
      default -> 7;
    };
  }

  /** The person that Rows make of the vector, the target and the loss. */
  @Test
  void aParticipantIsOfTheModelsLossAndLabel() {
    ModelSnapshot model = model("logistic", 0.1, 0.2, -0.3, 0.4, 0.5);
    Rows rows = Rows.of(model.features().vector(row(true)), 1, new LogisticLoss());
    Participant person = model.participant(row(true));
    assertThat(person.gradient()).containsExactly(rows.at(model).gradient());
    assertThat(person.size()).isEqualTo(rows.at(model).size());
    assertThat(person.key()).usingRecursiveComparison().isEqualTo(rows.key());
    DataKey key = DataKey.of("today");
    assertThat(model.participant(row(true), key).key()).isEqualTo(key);
    assertThat(model.participant(row(false)).gradient()[0]).isPositive();
  }

  @Test
  void numbersAreScaledByTheirRange() {
    // The prediction is 0, so the slope is minus the label's value.
    assertThat(model("squared").participant(row(3.5)).gradient()[0]).isZero();
    assertThat(model("squared").participant(row(10)).gradient()[0]).isEqualTo(-1);
    assertThat(model("squared").participant(row(-1e9)).gradient()[0]).isEqualTo(1);
    assertThat(model("pinball").participant(row(9)).gradient()[0]).isEqualTo(-0.3);
    assertThat(model("pinball").participant(row(0)).gradient()[0]).isEqualTo(0.7);
  }

  @Test
  void aServerGetsAProbabilityAClassOrANumber() {
    double[] weights = {2, 0, 0, 0, 0};
    double[] classes = new double[15];
    classes[5] = 1;
    // The average is half of the weights.
    assertThat((Double) model("logistic", weights).predict(row(1)))
        .isCloseTo(1 / (1 + Math.exp(-1)), within(1e-15));
    assertThat(model("hinge", weights).predict(row(1))).isEqualTo(true);
    assertThat(model("hinge").predict(row(1))).isEqualTo(false);
    assertThat(model("softmax", classes).predict(row(1))).isEqualTo("b");
    assertThat(model("squared").predict(row(1))).isEqualTo(3.5);
    assertThat(model("pinball", weights).predict(row(1))).isEqualTo(10.0);
    assertThat(model("pinball", -90, 0, 0, 0, 0).predict(row(1))).isEqualTo(-3.0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"logistic", "hinge", "softmax", "squared", "pinball"})
  void questionsAreAnswered(String loss) {
    Participant person = model(loss).participant(row(label(loss)));
    Question accuracy = Question.newBuilder().setAccuracy(accuracy()).build();
    boolean hasClasses = !(label(loss) instanceof Integer);
    assertThat(person.canAnswer(accuracy)).isEqualTo(hasClasses);
    if (hasClasses) {
      assertThat(person.answer(accuracy)).isFalse();
    }
    Question.Builder above = Question.newBuilder();
    above.getLossAboveBuilder().setThreshold(0.01);
    assertThat(person.answer(above.build())).isTrue();
    above.getLossAboveBuilder().setThreshold(2);
    assertThat(person.answer(above.build())).isFalse();
  }

  private static io.croupier.schemas.Accuracy accuracy() {
    return io.croupier.schemas.Accuracy.getDefaultInstance();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "logistic | 4567 | label 'y' is of another type; it must be true or false",
        "hinge | yes4567 | label 'y' is of another type; it must be true or false",
        "softmax | 4567 | label 'y' is of another type; it must be a text",
        "softmax | no4567 | label 'y' is none of the model's classes; it must be one of a, b, c",
        "squared | no4567 | label 'y' is of another type; it must be a number",
        "pinball | NaN | label 'y' is not finite; it must be a number",
      })
  void aWrongLabelIsNamedWithoutItsValue(String loss, String value, String message) {
    Object label = value.matches("\\d+|NaN") ? Double.valueOf(value) : value;
    assertThatThrownBy(() -> model(loss).participant(row(label)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message)
        .hasMessageNotContaining("4567");
  }

  @Test
  void aMissingNameIsNamed() {
    Map<String, Object> row = row(true);
    row.put("yy", row.remove("y"));
    assertThatThrownBy(() -> model("logistic").participant(row))
        .hasMessage(
            "label 'y' is missing; it must be true or false; names in the row that are no feature's: 1");
    row.remove("walked");
    assertThatThrownBy(() -> model("logistic").participant(row))
        .hasMessage(
            "feature 'walked' is missing; it must be a number; names in the row that are no"
                + " feature's: 1");
  }

  @Test
  void aModelThatNamesNoLossIsRefused() {
    ModelUpdate update = update("logistic", 0, 0, 0, 0, 0);
    ModelSnapshot before = Updates.parse(update.toBuilder().clearPredicts());
    assertThat(before.predicts()).isEmpty();
    assertThatThrownBy(() -> before.participant(row(true)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith(
            "the spec of model m has no predicts; it must name a label and a loss");
    ModelSnapshot later =
        Updates.parse(
            ModelUpdate.newBuilder(update)
                .setPredicts(update.getPredicts().toBuilder().clearLoss()));
    assertThatThrownBy(() -> later.predict(row(true)))
        .hasMessage("the loss of label 'y' is none that this version knows");
  }

  @Test
  void theSquaredLossHasNoSizeOfFeatures() {
    ModelUpdate.Builder update = update("squared", 0, 0, 0, 0, 0).toBuilder();
    update.setSize(AdaptiveClip.Size.FEATURES).setSlopeBound(1);
    ModelSnapshot model = Updates.parse(update);
    assertThatThrownBy(() -> model.participant(row(3)))
        .hasMessageContaining("requires a loss of bounded slope");
  }

  @Test
  void encodersComeWithTheFeaturesOfTheModelAlone() throws Exception {
    String digest =
        HexFormat.of()
            .formatHex(MessageDigest.getInstance("SHA-256").digest("abc".getBytes(UTF_8)));
    ModelUpdate.Builder update = update("hinge", 0, 0, 0, 0, 0, 0).toBuilder();
    update.addFeaturesBuilder().setName("note").getEncoderBuilder().setDigest(digest).setLength(1);
    ModelSnapshot model = Updates.parse(update);
    Map<String, Object> row = row(true);
    row.put("note", 0.25);
    assertThatThrownBy(() -> model.participant(row)).hasMessageContaining("needs the encoder");
    Features features =
        model
            .features()
            .withEncoder("note", "abc".getBytes(UTF_8), value -> new double[] {(Double) value});
    assertThat(model.withFeatures(features).participant(row).gradient())
        .containsExactly(-1, 0.5, -1, 0, -1, -0.25);
    assertThatThrownBy(() -> model("hinge").withFeatures(features))
        .hasMessage("the features are not those of model m; they must be made from its features()");
  }

  /** As the tests in other languages draw them: numbers from 0 to 1 by a linear congruence. */
  private static final class Lot {
    private long state;

    Lot(long seed) {
      state = seed;
    }

    double next() {
      state = (1664525 * state + 1013904223) & 0xffffffffL;
      return Math.scalb((double) state, -32);
    }
  }

  /**
   * 1,000 rows of each loss. Each case has an update, the SHA-256 of the gradients of 100 rows one
   * after the other, little-endian, and the first gradient and prediction. Row i is drawn by the
   * congruence from seed i: walked is 240 u - 30, well is u below 1/2, shift is day, night or none
   * by thirds, and then the label: true below 1/2, a, b or c by thirds, or 16 u - 5.
   */
  @Test
  void otherLanguagesComputeTheSameGradients() throws Exception {
    SplittableRandom random = new SplittableRandom(51);
    JsonArray cases = new JsonArray();
    for (String loss : List.of("logistic", "hinge", "softmax", "squared", "pinball")) {
      for (int n = 0; n < UPDATES; n++) {
        int d = loss.equals("softmax") ? 15 : 5;
        double scale = Math.scalb(1.0, n - 4);
        ModelUpdate update = update(loss, random.doubles(d, -scale, scale).toArray());
        cases.add(golden(loss, update));
      }
    }
    String text = new GsonBuilder().create().toJson(cases).replace("},{", "},\n{") + "\n";
    Files.writeString(Path.of("target/predictions.json"), text);
    assertThat(Files.readString(GOLDEN)).isEqualTo(text);
  }

  private static JsonObject golden(String loss, ModelUpdate update) throws Exception {
    ModelSnapshot model = ModelSnapshot.parse(update.toByteArray());
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    List<double[]> gradients = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      double[] gradient = model.participant(row(loss, row)).gradient();
      ByteBuffer bytes =
          ByteBuffer.allocate(Double.BYTES * gradient.length).order(ByteOrder.LITTLE_ENDIAN);
      bytes.asDoubleBuffer().put(gradient);
      digest.update(bytes.array());
      gradients.add(gradient);
    }
    JsonObject json = new JsonObject();
    json.addProperty("loss", loss);
    json.addProperty("update", HexFormat.of().formatHex(update.toByteArray()));
    json.addProperty("digest", HexFormat.of().formatHex(digest.digest()));
    json.add("gradient", new GsonBuilder().create().toJsonTree(gradients.get(0)));
    json.add("prediction", new GsonBuilder().create().toJsonTree(model.predict(row(loss, 0))));
    return json;
  }

  private static Map<String, Object> row(String loss, int seed) {
    Lot lot = new Lot(seed);
    Map<String, Object> row = new HashMap<>();
    row.put("walked", 240 * lot.next() - 30);
    row.put("well", lot.next() < 0.5);
    row.put("shift", List.of("day", "night", "none").get((int) (3 * lot.next())));
    double label = lot.next();
    row.put(
        "y",
        switch (loss) {
          case "softmax" -> List.of("a", "b", "c").get((int) (3 * label));
          case "logistic", "hinge" -> label < 0.5;
          default -> 16 * label - 5;
        });
    return row;
  }
}
