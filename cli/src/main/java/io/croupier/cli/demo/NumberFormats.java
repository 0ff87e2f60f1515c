package io.croupier.cli.demo;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Numbers as people read them. */
final class NumberFormats {

  private NumberFormats() {}

  /** All its digits and no more: 8, 0.25, 1000. */
  static String plain(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }

  /** Up to four digits: 0.25, 1.902. */
  static String rounded(double value) {
    return plain(new BigDecimal(value).round(new MathContext(4)).doubleValue());
  }

  /** Three digits behind the point: 0.693; few digits where it is large. */
  static String score(double value) {
    return String.format(Locale.ROOT, Math.abs(value) < 1000 ? "%.3f" : "%.1e", value);
  }

  /** With thousands separated: 28,155. */
  static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
