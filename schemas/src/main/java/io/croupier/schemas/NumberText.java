package io.croupier.schemas;

import java.util.regex.Pattern;

/**
 * Numbers as people write them in options, settings, models files and data: ASCII digits, with a
 * sign, a point and an exponent of ten if need be. Java itself also reads {@code 1d}, {@code
 * 0x1p3}, {@code NaN}, blanks around a number, and the digits of other scripts.
 */
public final class NumberText {
  private static final Pattern NUMBER =
      Pattern.compile("[-+]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?");

  private static final Pattern WHOLE = Pattern.compile("[-+]?[0-9]+");

  private NumberText() {}

  /** Whether a text is a number. */
  public static boolean isNumber(String text) {
    return NUMBER.matcher(text).matches();
  }

  /**
   * Reads a number, which is infinite if it is too large.
   *
   * @throws NumberFormatException if the text isn't one
   */
  public static double parseDouble(String text) {
    require(NUMBER, text);
    return Double.parseDouble(text);
  }

  /**
   * Reads a whole number.
   *
   * @throws NumberFormatException if the text isn't one, or is out of range
   */
  public static int parseInt(String text) {
    require(WHOLE, text);
    return Integer.parseInt(text);
  }

  /**
   * Reads a whole number.
   *
   * @throws NumberFormatException if the text isn't one, or is out of range
   */
  public static long parseLong(String text) {
    require(WHOLE, text);
    return Long.parseLong(text);
  }

  private static void require(Pattern form, String text) {
    if (!form.matcher(text).matches()) {
      throw new NumberFormatException("not a number in digits from 0 to 9");
    }
  }
}
