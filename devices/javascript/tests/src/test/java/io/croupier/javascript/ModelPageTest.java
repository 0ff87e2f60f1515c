package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Test;

/** The rows of docs/build/model.md in JavaScript are those of its spec. */
class ModelPageTest {
  private static final String FEATURES =
      "[{name: 'one', intercept: {}}, {name: 'minutesWalked', range: {from: 0, to: 180}},"
          + " {name: 'hoursSlept', range: {from: 0, to: 12}},"
          + " {name: 'shift', oneHot: {categories: ['day', 'night', 'none']}}]";

  @Test
  void rowsAreThoseOfTheSpec() throws Exception {
    Matcher code =
        Pattern.compile("```js\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("../../../docs/build/model.md")));
    assertThat(code.find()).isTrue();

    try (Browser browser = new Browser()) {
      Value rows =
          browser.call(
              "({readUpdate}) => { const zero = [0, 0, 0, 0, 0, 0]; const snapshot ="
                  + " readUpdate({modelId: 'm', round: 0, weights: zero, average: zero,"
                  + " gradientBound: 1, gridExponent: -16, predicts: {label: 'feltWell',"
                  + " logistic: {}}, features: "
                  + FEATURES
                  + "}); "
                  + code.group(1)
                  + "return data; }");
      Value zero = browser.eval("new Float64Array(6)");
      assertThat(Browser.doubles(rows.invokeMember("gradient", zero)))
          .containsExactly(-0.5, 0.25, -0.25, 0, -0.5, 0);
    }
  }
}
