package io.croupier.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumberTextTest {
  @ParameterizedTest
  @ValueSource(strings = {"0", "-0", "+7", "007", "1.5", "1.", ".5", "1e3", "1E-09", "-1.5e+2"})
  void isANumber(String text) {
    assertThat(NumberText.isNumber(text)).isTrue();
    assertThat(NumberText.parseDouble(text)).isEqualTo(Double.parseDouble(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        " 1",
        "1 ",
        "1d",
        "1f",
        "0x1p3",
        "0x1F",
        "NaN",
        "Infinity",
        "-Infinity",
        "inf",
        "1_000",
        "1,5",
        "1e",
        "e1",
        ".",
        "--1",
        "\u0661",
        "1\n"
      })
  void isNone(String text) {
    assertThat(NumberText.isNumber(text)).isFalse();
    assertThatExceptionOfType(NumberFormatException.class)
        .isThrownBy(() -> NumberText.parseDouble(text));
    assertThatExceptionOfType(NumberFormatException.class)
        .isThrownBy(() -> NumberText.parseLong(text));
    assertThatExceptionOfType(NumberFormatException.class)
        .isThrownBy(() -> NumberText.parseInt(text));
  }
}
