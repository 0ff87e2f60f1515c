package io.croupier.cli.demo;

import io.croupier.cli.account.Digits;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Formats numbers for people. */
final class NumberFormats {

  private NumberFormats() {}

  /** Prints all digits, without trailing zeros: 8, 0.25, 1000. */
  static String plain(double value) {
    return Double.isFinite(value)
        ? BigDecimal.valueOf(value).stripTrailingZeros().toPlainString()
        : Digits.all(value);
  }

  /** Rounds to four significant digits: 0.25, 1.902. */
  static String rounded(double value) {
    return rounded(value, RoundingMode.HALF_UP);
  }

  /** Rounds up to four significant digits: 0.05751. */
  static String roundedUp(double value) {
    return rounded(value, RoundingMode.CEILING);
  }

  private static String rounded(double value, RoundingMode mode) {
    return plain(
        Double.isFinite(value)
            ? new BigDecimal(value).round(new MathContext(4, mode)).doubleValue()
            : value);
  }

  /** A small number with an exponent, in all digits: 1e-6. */
  static String power(double value) {
    return Double.toString(value).replace(".0E", "e").replace("E", "e");
  }

  /** Rounds to three decimals, 0.693; large numbers have two significant digits. */
  static String score(double value) {
    return String.format(Locale.ROOT, Math.abs(value) < 1000 ? "%.3f" : "%.1e", value);
  }

  /** How well a model fits, in words: 73.6 % right, or R² 0.410. */
  static String fit(String fitName, double value) {
    return fitName.equals("accuracy") ? percent(value) + " right" : fitName + " " + score(value);
  }

  /** Rounds to a tenth of a percent: 73.6 %. */
  static String percent(double value) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * value);
  }

  /** Rounds to two decimals: 0.73. */
  static String hundredths(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  /** Separates thousands by commas: 28,155. */
  static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** A number of people: 1 person, 2 people. */
  static String people(long value) {
    return value == 1 ? "1 person" : count(value) + " people";
  }

  /** A number of things: 1 report, 2 reports. */
  static String counted(long value, String thing) {
    return count(value) + " " + thing + (value == 1 ? "" : "s");
  }
}
