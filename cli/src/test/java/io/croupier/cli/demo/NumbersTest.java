package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NumbersTest {

  @Test
  void plainNumbersHaveAllTheirDigitsAndNoMore() {
    assertThat(Numbers.plain(8)).isEqualTo("8");
    assertThat(Numbers.plain(0.25)).isEqualTo("0.25");
    assertThat(Numbers.plain(1000)).isEqualTo("1000");
    assertThat(Numbers.plain(0)).isEqualTo("0");
  }

  @Test
  void roundedNumbersHaveFourDigits() {
    assertThat(Numbers.rounded(1.902117)).isEqualTo("1.902");
    assertThat(Numbers.rounded(0.0001)).isEqualTo("0.0001");
    assertThat(Numbers.rounded(0.25)).isEqualTo("0.25");
  }

  @Test
  void scoresStayReadableHoweverBad() {
    assertThat(Numbers.score(0.69314)).isEqualTo("0.693");
    assertThat(Numbers.score(1.2e20)).isEqualTo("1.2e+20");
  }

  @Test
  void countsAreGrouped() {
    assertThat(Numbers.count(28_155)).isEqualTo("28,155");
  }
}
