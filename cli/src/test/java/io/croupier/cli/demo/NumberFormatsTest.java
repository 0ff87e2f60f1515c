package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NumberFormatsTest {

  @Test
  void plainNumbersHaveAllTheirDigitsAndNoMore() {
    assertThat(NumberFormats.plain(8)).isEqualTo("8");
    assertThat(NumberFormats.plain(0.25)).isEqualTo("0.25");
    assertThat(NumberFormats.plain(1000)).isEqualTo("1000");
    assertThat(NumberFormats.plain(0)).isEqualTo("0");
  }

  @Test
  void roundedNumbersHaveFourDigits() {
    assertThat(NumberFormats.rounded(1.902117)).isEqualTo("1.902");
    assertThat(NumberFormats.rounded(0.0001)).isEqualTo("0.0001");
    assertThat(NumberFormats.rounded(0.25)).isEqualTo("0.25");
  }

  /** The largest doubles round to infinity, and an epsilon may be infinite. */
  @Test
  void everyDoubleHasAText() {
    for (double value : new double[] {Double.MAX_VALUE, Double.POSITIVE_INFINITY}) {
      assertThat(NumberFormats.roundedUp(value)).isEqualTo("infinite");
    }
    assertThat(NumberFormats.plain(Double.POSITIVE_INFINITY)).isEqualTo("infinite");
    assertThat(NumberFormats.rounded(Double.MIN_VALUE)).startsWith("0.000");
  }

  @Test
  void scoresStayReadableHoweverBad() {
    assertThat(NumberFormats.score(0.69314)).isEqualTo("0.693");
    assertThat(NumberFormats.score(1.2e20)).isEqualTo("1.2e+20");
  }

  @Test
  void countsAreGrouped() {
    assertThat(NumberFormats.count(28_155)).isEqualTo("28,155");
  }
}
