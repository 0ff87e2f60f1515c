package io.croupier.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import org.junit.jupiter.api.Test;

class PageNumbersTest {

  /** The largest doubles round to infinity, which no JSON contains. */
  @Test
  void everyDoubleIsANumberOrNull() {
    double[] values = {Double.MAX_VALUE, -Double.MAX_VALUE, Double.MIN_VALUE, 1e308, Double.NaN};
    for (double value : values) {
      String text = PageNumbers.number(value, 4).toString();
      assertThat(JsonParser.parseString("[" + text + "]").toString())
          .doesNotContain("Infinity")
          .doesNotContain("NaN");
    }
    assertThat(PageNumbers.number(Double.POSITIVE_INFINITY).isJsonNull()).isTrue();
  }
}
