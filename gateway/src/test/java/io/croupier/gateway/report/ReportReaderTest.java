package io.croupier.gateway.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.gateway.problem.ProblemException;
import io.croupier.schemas.GradientReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports in JSON. */
class ReportReaderTest {
  private static GradientReport read(String json) {
    return ReportReader.json(json.getBytes(UTF_8));
  }

  /** The parser would throw and catch an exception for each of them, 3 microseconds a value. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "grid | values | 1e2",
        "grid | values | 1.0",
        "grid | values | \"1e2\"",
        "grid | values | 99999999999",
        "grid | values | \"-\"",
        "sparse | indices | 1e2"
      })
  void listsOfIntegersAreInDigits(String object, String field, String value) {
    assertThatThrownBy(
            () ->
                read(
                    "{\"modelId\": \"m\", \"%s\": {\"%s\": [3, %s]}}"
                        .formatted(object, field, value)))
        .isInstanceOf(ProblemException.class)
        .hasMessage("%s.%s must be whole numbers, in digits alone".formatted(object, field));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"grid\": {\"values\": [0, -2147483648, \"2147483647\"]}}",
        "{\"sparse\": {\"dimension\": 1e1, \"values\": [1e2, 0.5], \"indices\": [0, 3]}}",
        "{\"dense\": {\"values\": [1e2, 0.5, \"NaN\"]}}"
      })
  void otherNumbersMayBeWrittenInAnyWay(String json) {
    assertThat(read(json).getGradientCase())
        .isNotEqualTo(GradientReport.GradientCase.GRADIENT_NOT_SET);
  }

  @Test
  void anUnknownFieldIsAnError() {
    assertThatThrownBy(() -> read("{\"modelID\": \"m\"}"))
        .hasMessage("modelID is no field of a GradientReport");
  }
}
