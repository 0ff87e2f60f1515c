package io.croupier.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.croupier.cli.InputException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GradientLineTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[0.25, -3e-1, 7]",
        "{\"gradient\": [0.25, -0.3, 7.0]}",
        " { \"round\" : 4 , \"gradient\" : [ 0.25,-0.3,7 ] } "
      })
  void anArrayOrAnObjectIsAGradient(String text) {
    assertThat(GradientLine.parse(text, 3).gradient()).containsExactly(0.25, -0.3, 7);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[1]                                   | -7",
        "{\"gradient\": [1], \"round\": 0}     | 0",
        "{\"gradient\": [1], \"round\": \"12\"} | 12"
      })
  void aRoundInTheLineCounts(String text, long round) {
    assertThat(GradientLine.parse(text, 1).roundOr(-7)).isEqualTo(round);
  }

  @Test
  void aLineMayHaveASize() {
    assertThat(GradientLine.parse("[1]", 1).size()).isEmpty();
    assertThat(GradientLine.parse("{\"gradient\": [1]}", 1).size()).isEmpty();
    assertThat(GradientLine.parse("{\"size\": 2.5, \"gradient\": [1]}", 1).size()).hasValue(2.5);
    assertThat(GradientLine.parse("{\"gradient\": [1], \"size\": -1}", 1).size()).hasValue(-1);
  }

  @Test
  void aKeyIsUnicode() {
    GradientLine line = GradientLine.parse("{\"gradient\": [1], \"key\": \"\\ud83d\"}", 1);
    assertThatThrownBy(() -> new KeyOptions().of(line.key().orElseThrow()))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("it must be Unicode");
  }

  /** An error would disclose it. */
  @ParameterizedTest
  @ValueSource(strings = {"NaN", "Infinity", "-Infinity", "null", "1e999"})
  void aSizeThatIsNotFiniteIsRead(String size) {
    GradientLine line = GradientLine.parse("{\"gradient\": [1], \"size\": %s}".formatted(size), 1);
    assertThat(line.size()).hasValue(Double.NaN);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0.111, 0.222                                    | 'gradient' is not an array",
        "{\"gradient\": 0.111}                           | 'gradient' is not an array",
        "nonsense                                        | not a JSON array or object",
        "[0.111, 0.222                                   | not a JSON array or object",
        "[0.111, 0.222] 0.333                            | not a JSON array or object",
        "[0.111]                                         | 'gradient' has 1 numbers; the model has 2",
        "[0.111, 0.222, 0.333]                           | 'gradient' has 3 numbers; the model has 2",
        "[0.111, \"0.222\"]                              | 'gradient[1]' is not a number",
        "[0.111, [0.222]]                                | 'gradient[1]' is not a number",
        "[0.111, true]                                   | 'gradient[1]' is not a number",
        "[0.111, 0.222NaN]                               | not a JSON array or object",
        "[0.111, nan]                                    | not a JSON array or object",
        "[0.111,, 0.222]                                 | not a JSON array or object",
        "{}                                              | 'gradient' is missing",
        "{\"0.111\": [0.111, 0.222]}                     | unknown field",
        "{\"gradient\": [0.111, 0.222], \"rownd\": 0}    | unknown field",
        "{\"gradient\": [0.111, 0.222], \"gradient\": []} | 'gradient' occurs twice",
        "{\"gradient\": [0.111, 0.222], \"round\": -1}   | 'round' is not a whole number",
        "{\"gradient\": [0.111, 0.222], \"round\": 0.111} | 'round' is not a whole number",
        "{\"gradient\": [0.111, 0.222], \"round\": \"x\"} | 'round' is not a whole number",
        "{\"gradient\": [0.111, 0.222], \"round\": null} | 'round' is not a whole number",
        "{\"gradient\": [0.111, 0.222], \"size\": \"0.333\"} | 'size' is not a number",
        "{\"gradient\": [0.111, 0.222], \"size\": [0.333]} | 'size' is not a number",
        "{\"size\": 0.111, \"size\": 0.222}              | 'size' occurs twice"
      })
  void errorsContainNoGradient(String text, String expected) {
    InputException refusal =
        catchThrowableOfType(InputException.class, () -> GradientLine.parse(text, 2));

    assertThat(refusal).hasMessageContaining(expected).hasNoCause();
    assertThat(refusal.getMessage()).doesNotContain("0.111", "0.222", "0.333");
  }

  /**
   * Such numbers as printed by Python, JavaScript and printf, and numbers too large for a double.
   */
  @ParameterizedTest
  @ValueSource(strings = {"NaN", "Infinity", "-Infinity", "null", "1e999", "-1e999"})
  void nonFiniteNumbersAreValid(String number) {
    String array = "[0.25, " + number + ", 7]";
    assertThat(GradientLine.parse(array, 3).gradient()).containsExactly(0.25, Double.NaN, 7);
    String object = "{\"round\": 3, \"gradient\": " + array + "}";
    assertThat(GradientLine.parse(object, 3).gradient()).containsExactly(0.25, Double.NaN, 7);
  }

  @Test
  void aLongGradientIsRead() {
    String zeros = "[" + "0.5,".repeat(9_999) + "0.5]";
    assertThat(GradientLine.parse(zeros, 10_000).gradient()).hasSize(10_000).containsOnly(0.5);
  }
}
