package io.croupier.cli.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.croupier.cli.InputException;
import io.croupier.client.ModelSnapshot;
import io.croupier.schemas.Feature;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CsvRowsTest {
  @TempDir private Path directory;

  @Test
  void columnsAreCoordinatesInTheirOrderAndNothingIsScaled() throws IOException {
    Problem problem = load("one,y,x\n1,5,20\n1,2,-30\n", NamedLoss.SQUARED, 2);
    double[] gradient = new double[2];

    problem.gradient(1, new double[] {1, 0.5}, gradient);

    // <(1, -30), (1, 0.5)> - 2 = -16
    assertThat(gradient).containsExactly(-16, 480);
    assertThat(problem.size()).isEqualTo(2);
  }

  @Test
  void invalidInputIsReportedWithoutItsValues() {
    assertRefused("one,y\n1,5\n", NamedLoss.SQUARED, 2, "1 columns besides 'y'", "2 coordinates");
    assertRefused("one,x\n1,5\n", NamedLoss.SQUARED, 1, "no column 'y'", "one, x");
    assertRefused("one,y\n1,0\n1,7.77\n", NamedLoss.LOGISTIC, 1, "line 3", "'y'", "from 0 to 1");
    assertRefused("x,y\n1,0\n7.77x,1\n", NamedLoss.LOGISTIC, 1, "line 3", "'x'", "finite number");
  }

  @Test
  void aLabelOfTheLogisticLossMayBeYesOrNo() throws IOException {
    double[] gradient = new double[1];
    Problem problem = load("one,y\n1,Yes\n1,no\n", NamedLoss.LOGISTIC, 1);

    problem.gradient(0, new double[1], gradient);
    assertThat(gradient).containsExactly(-0.5);
    problem.gradient(1, new double[1], gradient);
    assertThat(gradient).containsExactly(0.5);
    assertRefused("one,y\n1,yes\n1,7.77x\n", NamedLoss.LOGISTIC, 1, "line 3", "'y'", "yes or no");
  }

  @Test
  void aModelOfClassesHasAsManyWeightsForEach() throws IOException {
    Problem problem = load("one,y,x\n1,2,20\n1,0,-30\n", NamedLoss.SOFTMAX, 6);

    assertThat(problem.dimension()).isEqualTo(6);
    assertThat(problem.size()).isEqualTo(2);
    assertThat(problem.score(new double[] {0, -1, 0, 0, 0, 1}).fit()).isEqualTo(1);
    assertRefused("one,y\n1,0\n1,3\n", NamedLoss.SOFTMAX, 3, "line 3", "'y'", "from 0 to 2");
    assertRefused("one,y\n1,0\n1,0.5\n", NamedLoss.SOFTMAX, 2, "line 3", "'y'", "from 0 to 1");
    assertRefused("one,y,x\n1,0,1\n", NamedLoss.SOFTMAX, 5, "2 columns", "at least two classes");
    assertRefused("one,y,x\n1,0,1\n", NamedLoss.SOFTMAX, 2, "2 columns", "at least two classes");
  }

  private static List<Feature> wellbeing() throws TextFormat.ParseException {
    return TextFormat.parse(
            "features { name: 'one' intercept {} } features { name: 'walked' range { from: 0 to: 180"
                + " } } features { name: 'fit' yes_no {} } features { name: 'shift' one_hot {"
                + " categories: 'day' categories: 'night' other: true } }",
            ModelSpec.class)
        .getFeaturesList();
  }

  @Test
  void theColumnsThatTheFeaturesNameAreScaledAsTheyDescribe() throws IOException {
    String text = "shift,y,walked,note,fit\nnight,1,45,ignored,YES\nnone,0,400,ignored,0\n";
    Problem problem = load(text, NamedLoss.SQUARED, 6, wellbeing());
    double[] gradient = new double[6];

    problem.gradient(0, new double[6], gradient);
    assertThat(gradient).containsExactly(-1, 0.5, -1, -0.0, -1, -0.0);
    problem.gradient(1, new double[] {1, 0, 0, 0, 0, 0}, gradient);
    assertThat(gradient).containsExactly(1, 1, 0, 0, 0, 1);
    assertThat(load(text, NamedLoss.SOFTMAX, 12, wellbeing()).dimension()).isEqualTo(12);
  }

  @Test
  void whatIsNotOfAFeaturesKindIsReportedWithoutItsValue() throws IOException {
    List<Feature> features = wellbeing();
    String[][] wrong = {
      {"walked,fit,y\n1,yes,0\n", "no column 'shift'"},
      {"walked,fit,shift,y\n1,yes,day,0\n7.77,maybe7.77,day,0\n", "line 3", "column 'fit'", "yes"},
      {"walked,fit,shift,y\n1 km 7.77,no,day,0\n", "line 2", "column 'walked'", "finite number"},
      {"walked,fit,shift,y\n1,no,,0\n", "line 2", "column 'shift'", "missing value"},
    };
    for (String[] one : wrong) {
      assertThatThrownBy(() -> load(one[0], NamedLoss.SQUARED, 6, features))
          .isInstanceOf(InputException.class)
          .hasMessageContainingAll(Arrays.copyOfRange(one, 1, one.length))
          .hasMessageNotContaining("7.77");
    }
    String good = "walked,fit,shift,y\n1,no,day,0\n";
    assertThatThrownBy(() -> load(good, NamedLoss.SQUARED, 12, features))
        .hasMessage("the model's features make 6 values; the model has 12 coordinates");
    assertThatThrownBy(() -> load(good, NamedLoss.SQUARED, 7, features))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("the features make 6 values; there are 7 weights");
    Feature.Builder note = Feature.newBuilder().setName("fit");
    note.getEncoderBuilder().setDigest("a".repeat(64)).setLength(2);
    assertThatThrownBy(() -> load(good, NamedLoss.SQUARED, 2, List.of(note.build())))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("feature 'fit' needs an encoder");
  }

  private static ModelSnapshot predicting(String predicts, int dimension)
      throws TextFormat.ParseException {
    ModelUpdate update =
        TextFormat.parse("predicts { label: 'y' " + predicts + " }", ModelUpdate.class);
    return snapshot(update.toBuilder(), dimension, wellbeing());
  }

  private static ModelSnapshot snapshot(
      ModelUpdate.Builder update, int dimension, List<Feature> features) {
    update
        .setModelId("m")
        .setRound(0)
        .addAllWeights(Collections.nCopies(dimension, 0.0))
        .addAllAverage(Collections.nCopies(dimension, 0.0))
        .setGridExponent(-16)
        .setGradientBound(1)
        .addAllFeatures(features);
    return ModelSnapshot.parse(update.build().toByteArray());
  }

  private Problem load(String text, ModelSnapshot model) throws IOException {
    Path file = Files.writeString(directory.resolve("data.csv"), text);
    return CsvRows.load(file, model, model.predicts().orElseThrow());
  }

  @Test
  void theRowsOfAModelThatPredictsAreThoseOfItsDevices() throws IOException {
    String table = "y,walked,fit,shift\n%s,45,yes,day\n";
    Map<String, Object> row = Map.of("walked", 45, "fit", true, "shift", "day");
    Map<String, Object> labels =
        Map.of(
            "logistic {}",
            true,
            "hinge {}",
            false,
            "softmax { classes: 'b' classes: 'true' }",
            "b",
            "squared { range { from: 0 to: 10 } }",
            7,
            "pinball { level: 0.9 range { from: 0 to: 10 } }",
            12);
    for (Map.Entry<String, Object> one : labels.entrySet()) {
      ModelSnapshot model = predicting(one.getKey(), one.getKey().startsWith("softmax") ? 12 : 6);
      Map<String, Object> labelled = new HashMap<>(row);
      labelled.put("y", one.getValue());
      Problem problem = load(table.formatted(one.getValue()), model);
      assertThat(problem.rows().at(model, problem.rows().key()).gradient())
          .as(one.getKey())
          .containsExactly(model.participant(labelled).gradient());
    }
  }

  @Test
  void aLabelThatTheModelDoesNotPredictIsReportedWithoutItsValue() throws IOException {
    ModelSnapshot classes = predicting("softmax { classes: 'a' classes: 'b' }", 12);
    assertThatThrownBy(() -> load("y,walked,fit,shift\n7.77,1,yes,day\n", classes))
        .isInstanceOf(InputException.class)
        .hasMessageContainingAll("line 2", "column 'y'", "aren't one of a, b")
        .hasMessageNotContaining("7.77");
    ModelSnapshot wide = predicting("hinge {}", 12);
    assertThatThrownBy(() -> load("y,walked,fit,shift\nyes,1,yes,day\n", wide))
        .hasMessageContaining("6 values for each of 1 predictions; the model has 12 coordinates");
    ModelSnapshot newer = predicting("", 6);
    assertThatThrownBy(() -> load("y,walked,fit,shift\nyes,1,yes,day\n", newer))
        .hasMessage("model 'm' predicts y, by a loss that this version doesn't know");
  }

  private void assertRefused(String text, NamedLoss loss, int dimension, String... parts) {
    assertThatThrownBy(() -> load(text, loss, dimension))
        .isInstanceOf(InputException.class)
        .hasMessageContainingAll(parts)
        .message()
        // The file's path has random digits, but no point between them.
        .doesNotContain("7.77");
  }

  private Problem load(String text, NamedLoss loss, int dimension) throws IOException {
    return load(text, loss, dimension, List.of());
  }

  private Problem load(String text, NamedLoss loss, int dimension, List<Feature> features)
      throws IOException {
    Path file = Files.writeString(directory.resolve("rows.csv"), text);
    ModelSnapshot model = snapshot(ModelUpdate.newBuilder(), dimension, features);
    return CsvRows.load(file, "y", loss, model, 1);
  }
}
