package io.croupier.cli.account;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Formats numbers for people. */
public final class Digits {
  private static final int DECIMALS = 2;
  private static final int SIGNIFICANT = 3;
  private static final double LEAST = 1e-3;

  private Digits() {}

  /** Rounds to the nearest, with two decimals and at least three digits: 18.71, 1.65, 0.0123. */
  public static String rounded(double value) {
    if (!(Math.abs(value) >= LEAST && Math.abs(value) <= Double.MAX_VALUE)) {
      return all(value);
    }
    BigDecimal exact = BigDecimal.valueOf(value);
    BigDecimal rounded = exact.setScale(DECIMALS, RoundingMode.HALF_EVEN);
    return Math.abs(value) >= 1
        ? rounded.toPlainString()
        : exact.round(new MathContext(SIGNIFICANT, RoundingMode.HALF_EVEN)).toPlainString();
  }

  /** Rounds to six digits in the direction that the caller states to be the safe one. */
  public static String sixDigits(double value, RoundingMode towardsPrivacy) {
    return Double.isFinite(value)
        ? all(BigDecimal.valueOf(value).round(new MathContext(6, towardsPrivacy)))
        : all(value);
  }

  /**
   * Rounds a sum of an account up to six digits. One that is too large for the account is infinite
   * in records: more than 9223370000.
   *
   * @param largest the largest sum that an account can contain
   */
  public static String sum(double value, double largest) {
    return value == Double.POSITIVE_INFINITY
        ? "more than " + sixDigits(largest, RoundingMode.FLOOR)
        : sixDigits(value, RoundingMode.CEILING);
  }

  /** Prints all digits: 17.66674617585618, 1e-6. */
  public static String all(double value) {
    if (!Double.isFinite(value)) {
      return Double.isNaN(value) ? "not a number" : value > 0 ? "infinite" : "-infinite";
    }
    return all(BigDecimal.valueOf(value));
  }

  private static String all(BigDecimal value) {
    BigDecimal exact = value.stripTrailingZeros();
    int exponent = exact.precision() - exact.scale() - 1;
    if (exact.signum() == 0 || (exponent >= -3 && exponent < 15)) {
      return exact.toPlainString();
    }
    BigDecimal mantissa = exact.movePointLeft(exponent);
    return mantissa.toPlainString() + "e" + exponent;
  }

  /** Separates thousands by commas: 28,155. */
  public static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
