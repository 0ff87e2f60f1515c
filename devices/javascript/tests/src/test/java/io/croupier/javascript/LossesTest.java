package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.croupier.client.Sizes;
import io.croupier.client.Softmax;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Losses and gradients of rows, against golden values of 40 digits. A test of the command line
 * compares the Java losses with the same file.
 */
class LossesTest extends BrowserFixture {
  private static void assertClose(Value actual, JsonNode expected, String what) {
    assertThat(actual.getArraySize()).as(what).isEqualTo(expected.size());
    for (int i = 0; i < expected.size(); i++) {
      assertClose(actual.getArrayElement(i).asDouble(), expected.get(i).asDouble(), what);
    }
  }

  private static void assertClose(double actual, double expected, String what) {
    assertThat(actual)
        .as(what)
        .isCloseTo(expected, within(1e-14 * Math.max(1, Math.abs(expected))));
  }

  @Test
  void lossesAndGradientsAreTheGoldenOnes() throws IOException {
    JsonNode cases;
    try (InputStream in = LossesTest.class.getResourceAsStream("/golden/losses.json")) {
      cases = new ObjectMapper().readTree(in).get("cases");
    }
    Value make =
        browser.call(
            "(module) => (text) => { const one = JSON.parse(text);"
                + " const loss = one.loss === 'huber' ? module.huber({c: one.c, scale: one.scale})"
                + " : one.loss === 'softmax' ? module.softmax(one.classes) : module[one.loss];"
                + " const rows = new module.Rows({features: one.features,"
                + " targets: one.targets, importance: one.importance, loss});"
                + " const single = one.features.map((x, i) => new module.Rows({features: [x],"
                + " targets: [one.targets[i]], importance: [one.importance[i]], loss}));"
                + " return {mean: rows.gradient(one.weights),"
                + " gradients: single.map((row) => row.gradient(one.weights)),"
                + " losses: one.features.map((x, i) => rows.loss(i, one.weights)),"
                + " norms: one.features.map(module.norm),"
                + " mallows: module.mallowsWeights(one.features, one.k),"
                + " above: one.losses.map((value, i) => [-1e-6, 1e-6].map((d) => rows.answer("
                + "{kind: 'lossAbove', threshold: value + d}, i, one.weights))),"
                + " featuresSize: rows.size({size: 'FEATURES', slopeBound: 0.75}, one.weights),"
                + " gradientSize: rows.size({size: 'GRADIENT', slopeBound: 0}, one.weights)}; }");
    int count = 0;
    for (JsonNode one : cases) {
      String what = "case " + count++;
      Value actual = make.execute(one.toString());
      assertClose(actual.getMember("mean"), one.get("mean_gradient"), what);
      assertClose(actual.getMember("losses"), one.get("losses"), what);
      assertClose(actual.getMember("norms"), one.get("norms"), what);
      assertClose(actual.getMember("mallows"), one.get("mallows"), what);
      double meanSize = 0;
      for (int i = 0; i < one.get("gradients").size(); i++) {
        assertClose(
            actual.getMember("gradients").getArrayElement(i), one.get("gradients").get(i), what);
        Value above = actual.getMember("above").getArrayElement(i);
        assertThat(above.getArrayElement(0).asBoolean()).as(what).isTrue();
        assertThat(above.getArrayElement(1).asBoolean()).as(what).isFalse();
        meanSize +=
            0.75 * one.get("importance").get(i).asDouble() * one.get("norms").get(i).asDouble();
      }
      assertClose(
          actual.getMember("featuresSize").asDouble(),
          meanSize / one.get("gradients").size(),
          what);
      assertClose(
          actual.getMember("gradientSize").asDouble(),
          Sizes.norm(Browser.doubles(actual.getMember("mean"))),
          what);
    }
    assertThat(count).isEqualTo(64);
  }

  private static Value array(double[] values) {
    return browser.eval("JSON.parse").execute(Arrays.toString(values));
  }

  @Test
  void softmaxPredictsAsTheJavaClientDoes() {
    Value softmax = browser.call("(module) => module.softmax(3)");
    SplittableRandom random = new SplittableRandom(4);
    for (int n = 0; n < 200; n++) {
      double[] weights = random.doubles(12, -3, 3).toArray();
      double[] x = random.doubles(4, -3, 3).toArray();
      Value scores = softmax.invokeMember("scores", array(weights), array(x));
      double[] expected = Softmax.scores(weights, x);
      assertThat(Browser.doubles(scores)).containsExactly(expected);
      assertThat(softmax.invokeMember("predicted", scores).asInt())
          .isEqualTo(Softmax.predicted(expected));
      assertThat(Browser.doubles(softmax.invokeMember("probabilities", scores)))
          .containsExactly(Softmax.probabilities(expected), within(1e-15));
    }
    assertThatThrownBy(
            () -> softmax.invokeMember("scores", array(new double[11]), array(new double[4])))
        .hasMessageContaining("number of weights is 11; it must be 3 times that of the features");
  }

  /** Those of {@code --loss huber-mallows}; the golden cases name both. */
  @Test
  void huberHasDefaults() {
    Value gradient =
        browser.call(
            "(module) => (residual) => new module.Rows({features: [[1]], targets: [0],"
                + " loss: module.huber()}).gradient([residual])[0]");
    assertThat(gradient.execute(1).asDouble()).isEqualTo(1);
    assertThat(gradient.execute(10).asDouble()).isEqualTo(1.345);
    assertThat(browser.export("HUBER_C").asDouble()).isEqualTo(1.345);
  }

  @Test
  void accuracyIsWhetherThePredictionHasTheClass() {
    Value answer =
        browser.call(
            "(module) => (x, y) => new module.Rows({features: [[x]], targets: [y],"
                + " loss: module.logistic}).answer({kind: 'accuracy'}, 0, [1])");
    assertThat(answer.execute(0.1, 1).asBoolean()).isTrue();
    assertThat(answer.execute(0.1, 0).asBoolean()).isFalse();
    assertThat(answer.execute(-0.1, 0).asBoolean()).isTrue();
    assertThat(answer.execute(0, 0).asBoolean()).isTrue();
    assertThat(answer.execute(0, 1).asBoolean()).isFalse();
  }

  @Test
  void theClassOfTheHighestScoreIsPredicted() {
    Value answer =
        browser.call(
            "(module) => (y) => new module.Rows({features: [[2, 1]], targets: [y],"
                + " loss: module.softmax(3)}).answer({kind: 'accuracy'}, 0, [0, 1, 1, 1, 0, 2])");
    assertThat(answer.execute(0).asBoolean()).isFalse();
    assertThat(answer.execute(1).asBoolean()).isTrue();
    assertThat(answer.execute(2).asBoolean()).isFalse();
  }

  @Test
  void normsAreThoseOfTheJavaClient() {
    SplittableRandom random = new SplittableRandom(7);
    for (int n = 0; n < 100; n++) {
      double[] vector = new double[1 + random.nextInt(5)];
      for (int j = 0; j < vector.length; j++) {
        vector[j] =
            n % 10 == 0 ? Double.NaN : Math.scalb(random.nextDouble(), random.nextInt(-1060, 1023));
      }
      assertThat(browser.export("norm").execute(browser.array(vector)).asDouble())
          .isEqualTo(Double.valueOf(Sizes.norm(vector)));
    }
  }

  /** Of a size that is no number, nothing is left, and the answer is that it is above the clip. */
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.5, 1, 2, 1e300, -1, Double.NaN, Double.POSITIVE_INFINITY})
  void sizesScaleTheGradient(double size) {
    boolean isAbove = !(size >= 0 && size <= 1);
    assertThat(browser.internal("isSizeAbove").execute(size, 1).asBoolean()).isEqualTo(isAbove);
    double factor = !isAbove ? 1 : size > 1 ? 1 / size : 0;
    assertThat(Browser.doubles(browser.internal("scaledBy").execute(browser.array(3, -4), size, 1)))
        .containsExactly(factor * 3, factor * -4);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "features: [], targets: [], loss: module.squared",
        "features: [[1, 2], [1]], targets: [0, 1], loss: module.squared",
        "features: [[1, NaN]], targets: [0], loss: module.squared",
        "features: [[1]], targets: [Infinity], loss: module.squared",
        "features: [[1]], targets: [0.5], loss: module.logistic",
        "features: [[1]], targets: [1, 0], loss: module.logistic",
        "features: [[1]], targets: [3], loss: module.softmax(3)",
        "features: [[1]], targets: [0], loss: module.softmax(1)",
        "features: [[1]], targets: [1], importance: [-1], loss: module.logistic",
      })
  void malformedRowsAreRefusedBeforeTheFirstReport(String options) {
    assertThatThrownBy(() -> browser.call("(module) => new module.Rows({" + options + "})"))
        .hasMessageContaining("it must be");
  }
}
