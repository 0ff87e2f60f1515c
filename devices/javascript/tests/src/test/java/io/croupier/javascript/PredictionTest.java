package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.client.loss.PortableMath;
import io.croupier.schemas.ModelUpdate;
import java.io.IOException;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Data and predictions by the label and the loss of a spec, against those of the Java client. */
class PredictionTest extends BrowserFixture {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String UPDATE =
      "{modelId: 'm', round: '0', weights: [0, 0], average: [2, 0], gradientBound: 1, gridExponent:"
          + " -16, features: [{name: 'one', intercept: {}}, {name: 'well', yesNo: {}}]";

  static JsonNode golden() throws IOException {
    return Browser.golden("predictions");
  }

  /** The update of a golden case as a gateway serves it. */
  static String update(JsonNode golden) throws InvalidProtocolBufferException {
    byte[] bytes = HexFormat.of().parseHex(golden.get("update").asText());
    return JsonFormat.printer().print(ModelUpdate.parseFrom(bytes));
  }

  /** 1,000 rows of each loss, bit for bit. */
  @Tag("thorough")
  @Test
  void gradientsAndPredictionsAreThoseOfJava() throws Exception {
    Value predictions = browser.test("predictions.js").getMember("predictions");
    int cases = 0;
    for (JsonNode one : golden()) {
      String actual =
          predictions.execute(browser.exports(), one.get("loss").asText(), update(one)).asString();
      for (String what : new String[] {"gradient", "prediction", "digest"}) {
        assertThat(number(JSON.readTree(actual).get(what))).isEqualTo(number(one.get(what)));
      }
      cases++;
    }
    assertThat(cases).isEqualTo(50);
  }

  /** JavaScript writes 1.0 as 1, and has no other -0 than 0 in JSON. */
  private static Object number(JsonNode value) {
    if (!value.isArray()) {
      return value.isNumber() ? value.asDouble() + 0.0 : value;
    }
    double[] numbers = new double[value.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = value.get(i).asDouble() + 0.0;
    }
    return numbers;
  }

  @Test
  void theFunctionsAreThoseOfJava() {
    Value exp = browser.internal("portableExp");
    Value log1p = browser.internal("portableLog1p");
    SplittableRandom random = new SplittableRandom(6);
    for (int n = 0; n < 3000; n++) {
      double x = 700 * Math.scalb(random.nextDouble(), -n % 50);
      assertThat(exp.execute(-x).asDouble()).isEqualTo(PortableMath.exp(-x));
      assertThat(log1p.execute(x).asDouble()).isEqualTo(PortableMath.log1p(x));
    }
    assertThat(exp.execute(Double.NEGATIVE_INFINITY).asDouble()).isZero();
    assertThat(exp.execute(Double.NaN).asDouble()).isNaN();
  }

  private static Value run(String predicts, String call) {
    return browser.call("(module) => module.readUpdate(%s%s})%s".formatted(UPDATE, predicts, call));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "logistic: {} | 4567 | label 'y' is a number; it must be true or false",
        "hinge: {} | undefined | label 'y' is missing; it must be true or false",
        "logistic: {}, x: 1 | null, z: 4567 | label 'y' is missing; it must be true or false; names in the row that are no feature's: 1",
        "squared: {range: {from: 0, to: 1}} | `no4567` | label 'y' is a text; it must be a number",
        "pinball: {level: 0.5, range: {from: 0, to: 1}} | NaN | label 'y' is not finite; it must be a number",
        "wave: {} | true | the loss of label 'y' is unknown to croupier.js",
      })
  void aWrongLabelIsNamedWithoutItsValue(String loss, String label, String message) {
    assertThatThrownBy(
            () ->
                run(
                    ", predicts: {label: 'y', " + loss + "}",
                    ".participant({well: true, y: " + label + "})"))
        .hasMessageStartingWith("CroupierError: " + message)
        .hasMessageNotContaining("4567");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hinge: {} | true | hinge",
        "pinball: {level: 0.9, range: {from: 0, to: 1}} | 0 | pinball(0.9)",
      })
  void thePageHasTheSameLosses(String predicted, String label, String loss) {
    String participant = ".participant({well: true, y: " + label + "}).gradient([0.5, 0.25])";
    Value expected = run(", predicts: {label: 'y', " + predicted + "}", participant);
    Value rows =
        browser.call(
            "(module) => new module.Rows({features: [[1, 1]], targets: [%s], loss: module.%s})"
                .formatted(label.equals("true") ? "1" : "-1", loss));
    assertThat(Browser.doubles(rows.invokeMember("gradient", browser.eval("[0.5, 0.25]"))))
        .containsExactly(Browser.doubles(expected));
  }

  @Test
  void theRoundOfAServedAverageIsKnown() {
    assertThat(run(", averageRound: '3'", ".averageRound").asInt()).isEqualTo(3);
    assertThat(run("", ".averageRound").isNull()).isTrue();
    assertThatThrownBy(() -> run(", averageRound: -1", ".averageRound"))
        .hasMessageContaining("averageRound is malformed");
  }

  @Test
  void aClassIsOneOfTheModels() {
    String update = UPDATE.replace("[0, 0]", "[0, 0, 0, 0]").replace("[2, 0]", "[0, 0, 1, 0]");
    String call = ", predicts: {label: 'y', softmax: {classes: ['a', 'b']}}})";
    Value model = browser.call("(module) => module.readUpdate(" + update + call);
    Value row = browser.eval("(y) => ({well: true, y})");
    assertThat(model.invokeMember("predict", row.execute("a")).asString()).isEqualTo("b");
    assertThat(model.invokeMember("participant", row.execute("a")).getMember("dimension").asInt())
        .isEqualTo(4);
    assertThatThrownBy(() -> model.invokeMember("participant", row.execute("no4567")))
        .hasMessage(
            "CroupierError: label 'y' is none of the model's classes; it must be one of a, b");
  }

  @Test
  void aModelThatNamesNoLossIsRefused() {
    assertThatThrownBy(() -> run("", ".participant({well: true, y: true})"))
        .hasMessage(
            "CroupierError: predicts of model m is missing; it must be in its spec, or this page make"
                + " Rows of a loss of its own");
    String hinge = ", predicts: {label: 'y', hinge: {}}";
    assertThat(run(hinge, ".predict({well: true})").asBoolean()).isTrue();
    assertThatThrownBy(
            () ->
                run(
                    hinge,
                    ".predict({well: true}, new module.Features([{name: 'one', intercept: {}}]))"))
        .hasMessageContaining("features is those of another model; it must be made from those of");
  }
}
