package io.croupier.accounting.numerics;

import java.math.BigDecimal;

/**
 * An exact sum of doubles, each taken as the shortest decimal that prints it. Decimals with the
 * same number of places have a sum of their own: each has at most 17 digits, while one sum over all
 * places could have 350, and every further addition would process all of them.
 */
public final class DecimalSum {
  /**
   * The range of scales, from the last digit of the largest double to that of the least, with a
   * margin.
   */
  private static final int MIN_SCALE = -310;

  private static final int MAX_SCALE = 345;

  private static final int DECIMALS = 9;

  /** Sum of the numbers of at most nine decimals, in units of 1e-9. */
  private long nanos;

  /** Sums of the others; null if there are none. */
  private BigDecimal[] byScale;

  /** Adds a number of at least 0, finite, the given number of times. */
  public void add(double number, int times) {
    long units = DecimalUnits.exactly(number, DECIMALS);
    if (units >= 0) {
      long sum = DecimalUnits.add(nanos, DecimalUnits.multiply(units, times));
      if (sum < DecimalUnits.SATURATED) {
        nanos = sum;
        return;
      }
    }
    if (byScale == null) {
      byScale = new BigDecimal[MAX_SCALE - MIN_SCALE + 1];
    }
    BigDecimal decimal = BigDecimal.valueOf(number);
    int place = decimal.scale() - MIN_SCALE;
    BigDecimal product = times == 1 ? decimal : decimal.multiply(BigDecimal.valueOf(times));
    byScale[place] = byScale[place] == null ? product : byScale[place].add(product);
  }

  /** Returns the sum, with all its digits. */
  public BigDecimal toBigDecimal() {
    BigDecimal sum = BigDecimal.valueOf(nanos, DECIMALS);
    if (byScale != null) {
      for (BigDecimal part : byScale) {
        sum = part == null ? sum : sum.add(part);
      }
    }
    return sum;
  }
}
