package io.croupier.accounting.numerics;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * Exact arithmetic on declared numbers. A declared number means the shortest decimal that prints
 * it, not the binary fraction that a double holds: 0.1 is a tenth, and ten of them are 1.
 */
public final class DecimalUnits {
  /** The value of every sum that is too large; as a double it is infinite. */
  public static final long SATURATED = Long.MAX_VALUE;

  /**
   * Every integer below this has at most 15 significant digits. Two decimals of at most 15 digits
   * never share a double, so such a decimal that parses to the double is its shortest decimal.
   */
  private static final double FIFTEEN_DIGITS = 1e15;

  private static final BigDecimal LARGEST = BigDecimal.valueOf(SATURATED);

  private DecimalUnits() {}

  /**
   * Returns the least number of units of 10^-decimals that is not below a positive number, which
   * may be infinite.
   */
  public static long roundUp(double declared, int decimals) {
    if (declared == Double.POSITIVE_INFINITY) {
      return SATURATED;
    }
    long units = exactly(declared, decimals);
    if (units < 0) {
      units = betweenWholeUnits(declared, decimals);
    }
    return units >= 0 ? units : roundUp(BigDecimal.valueOf(declared), decimals);
  }

  /**
   * Returns the same without the decimal's digits for a number that {@link #exactly} rejects, if
   * its product with the scale is not whole; otherwise -1.
   *
   * <p>The rounded product is then between the same whole numbers as the exact one, since rounding
   * is monotone. So is the decimal's: a whole number of units between the decimal and the double
   * would parse to the double too, and {@code exactly} would have returned it.
   */
  private static long betweenWholeUnits(double declared, int decimals) {
    double scaled = declared * scale(decimals);
    double above = Math.ceil(scaled);
    return scaled < above && above <= FIFTEEN_DIGITS ? (long) above : -1;
  }

  /** Returns the same for a decimal. */
  public static long roundUp(BigDecimal number, int decimals) {
    BigDecimal units = number.movePointRight(decimals);
    return units.compareTo(LARGEST) >= 0
        ? SATURATED
        : units.setScale(0, RoundingMode.CEILING).longValueExact();
  }

  /** Returns the largest number of units that is not above a positive number; never saturated. */
  public static long roundDown(BigDecimal number, int decimals) {
    BigDecimal units = number.movePointRight(decimals);
    return units.compareTo(LARGEST) >= 0
        ? SATURATED - 1
        : units.setScale(0, RoundingMode.FLOOR).longValueExact();
  }

  /**
   * Returns the number in units of 10^-decimals if that is a whole number of at most 15 digits,
   * otherwise -1.
   */
  public static long exactly(double declared, int decimals) {
    double scale = scale(decimals);
    double scaled = declared * scale;
    if (!(scaled <= FIFTEEN_DIGITS)) {
      return -1;
    }
    long units = Math.round(scaled);
    return units / scale == declared ? units : -1;
  }

  /** Returns the sum of two numbers of at least 0, saturated. */
  public static long add(long a, long b) {
    long sum = a + b;
    return sum < 0 ? SATURATED : sum;
  }

  /**
   * Returns half of a ceiling, rounded up. That equals rounding up once: ceil(ceil(x) / 2) is
   * ceil(x / 2).
   */
  public static long half(long units) {
    return units == SATURATED ? units : units / 2 + units % 2;
  }

  /** Returns the product of two numbers of at least 0, saturated. */
  public static long multiply(long a, long b) {
    return Math.multiplyHigh(a, b) != 0 || a * b < 0 ? SATURATED : a * b;
  }

  /**
   * Returns at least the product of two numbers of at least 0, saturated; its relative excess is at
   * most 2^-50.
   */
  public static long multiplyUp(long units, double factor) {
    if (units == 0 || units == SATURATED) {
      return units;
    }
    // Conversion and product err by at most half a unit in the last place each.
    return (long) Math.ceil(Math.nextUp(Math.nextUp(units * factor)));
  }

  /**
   * Returns the square root of a number of units of 1e-12, not rounded down; exact if it has at
   * most 6 decimals.
   *
   * @param picos at least 0
   */
  public static double rootUp(long picos) {
    if (picos == SATURATED) {
      return Double.POSITIVE_INFINITY;
    }
    double root = Math.sqrt((double) picos);
    long micros = (long) root;
    if (multiply(micros, micros) == picos) {
      return toDouble(micros, 6);
    }
    // Conversion, root and division err by less than two units in the last place together.
    return Math.nextUp(Math.nextUp(Math.nextUp(root / 1e6)));
  }

  /**
   * Returns the largest number of at most 6 decimals whose square is at most the given number of
   * units of 1e-12.
   */
  public static double rootDown(long picos) {
    long micros = (long) Math.sqrt((double) picos);
    while (multiply(micros, micros) > picos) {
      micros--;
    }
    return micros / 1e6;
  }

  /**
   * Returns a double whose shortest decimal is at least {@code units} of 10^-decimals, and equal to
   * it up to 15 digits.
   */
  public static double toDouble(long units, int decimals) {
    if (units == SATURATED) {
      return Double.POSITIVE_INFINITY;
    }
    double nearest = units / scale(decimals);
    return units <= FIFTEEN_DIGITS
        ? nearest
        // Conversion, division and printing each err by at most half a unit in the last place.
        : Math.nextUp(Math.nextUp(nearest));
  }

  /**
   * Returns a double whose shortest decimal is at most {@code units} of 10^-decimals, and equal to
   * it up to 15 digits.
   */
  public static double toDoubleDown(long units, int decimals) {
    double nearest = units / scale(decimals);
    return units <= FIFTEEN_DIGITS ? nearest : Math.nextDown(Math.nextDown(nearest));
  }

  /** Returns all digits of {@code units} of 10^-decimals. */
  public static String text(long units, int decimals) {
    String exact = BigDecimal.valueOf(units, decimals).stripTrailingZeros().toPlainString();
    return units == SATURATED ? "at least " + exact : exact;
  }

  private static double scale(int decimals) {
    return switch (decimals) {
      case 6 -> 1e6;
      case 9 -> 1e9;
      case 12 -> 1e12;
      case 18 -> 1e18;
      default ->
          throw new IllegalArgumentException("decimals is " + decimals + ", not 6, 9, 12 or 18");
    };
  }
}
