package io.croupier.operators.accounting;

import java.math.BigDecimal;

/**
 * An exact sum of doubles, each as the decimal that prints it. Decimals of as many places are added
 * up apart: they are of 17 digits, while one sum over all places could have 350, and every further
 * addition would handle all of them.
 */
final class DecimalSum {
  /** From the last digit of the largest double to that of the least, and some to spare. */
  private static final int MIN_SCALE = -310;

  private static final int MAX_SCALE = 345;

  private final BigDecimal[] byScale = new BigDecimal[MAX_SCALE - MIN_SCALE + 1];

  /** Adds a finite number so many times. */
  void add(double number, int times) {
    BigDecimal decimal = BigDecimal.valueOf(number);
    int place = decimal.scale() - MIN_SCALE;
    BigDecimal product = times == 1 ? decimal : decimal.multiply(BigDecimal.valueOf(times));
    byScale[place] = byScale[place] == null ? product : byScale[place].add(product);
  }

  /** The sum, with all its digits. */
  BigDecimal toBigDecimal() {
    BigDecimal sum = BigDecimal.ZERO;
    for (BigDecimal part : byScale) {
      sum = part == null ? sum : sum.add(part);
    }
    return sum;
  }
}
