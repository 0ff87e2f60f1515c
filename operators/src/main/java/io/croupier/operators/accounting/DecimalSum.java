package io.croupier.operators.accounting;

import java.math.BigDecimal;

/**
 * An exact sum of doubles, each taken as the shortest decimal that prints it. Decimals with the
 * same number of places have a sum of their own: each has at most 17 digits, while one sum over all
 * places could have 350, and every further addition would process all of them.
 */
final class DecimalSum {
  /**
   * The range of scales, from the last digit of the largest double to that of the least, with a
   * margin.
   */
  private static final int MIN_SCALE = -310;

  private static final int MAX_SCALE = 345;

  private final BigDecimal[] byScale = new BigDecimal[MAX_SCALE - MIN_SCALE + 1];

  /** Adds a finite number the given number of times. */
  void add(double number, int times) {
    BigDecimal decimal = BigDecimal.valueOf(number);
    int place = decimal.scale() - MIN_SCALE;
    BigDecimal product = times == 1 ? decimal : decimal.multiply(BigDecimal.valueOf(times));
    byScale[place] = byScale[place] == null ? product : byScale[place].add(product);
  }

  /** Returns the sum, with all its digits. */
  BigDecimal toBigDecimal() {
    BigDecimal sum = BigDecimal.ZERO;
    for (BigDecimal part : byScale) {
      sum = part == null ? sum : sum.add(part);
    }
    return sum;
  }
}
