package io.croupier.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VisibleTextTest {
  private static final String HOSTILE =
      "a\u001b[31m\r\nb\u202e\u2028\u009b\u200d\u00a0\ud800\ue000";
  private static final String ESCAPED = "\\u202e\\u2028\\u009b\\u200d\\u00a0\\ud800\\ue000";

  @Test
  void aNameKeepsEachCharacterInSight() {
    assertThat(VisibleText.name(HOSTILE)).isEqualTo("a\\u001b[31m\\u000d\\u000ab" + ESCAPED);
    assertThat(VisibleText.name("a  b\t")).isEqualTo("a  b\\u0009");
  }

  @Test
  void linesKeepTheirBreaks() {
    assertThat(VisibleText.lines(HOSTILE)).isEqualTo("a\\u001b[31m\r\nb" + ESCAPED);
    assertThat(VisibleText.lines("a\rb\n\tc")).isEqualTo("a\\u000db\n\tc");
  }

  @Test
  void aLineHasNone() {
    assertThat(VisibleText.line(" a\n\tb\u2028c\u0007 ")).isEqualTo("a b c\\u0007");
  }

  @Test
  void textOfAllScriptsIsUnchanged() {
    String names = "Zo\u00eb Zoe\u0308 \u5c71\u7530 \u0645\u062d\u0645\u062f \ud83d\ude00 '~\"\\";
    assertThat(VisibleText.name(names)).isSameAs(names);
    assertThat(VisibleText.lines(names)).isSameAs(names);
    assertThat(VisibleText.line(names)).isEqualTo(names);
  }
}
