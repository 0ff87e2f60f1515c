package io.croupier.noise;

import java.math.BigDecimal;
import java.math.MathContext;

/** Exact values, with which those of doubles are compared. */
public final class Decimals {
  public static final MathContext DIGITS = new MathContext(60);

  private Decimals() {}

  /** The exponential of a number from 0 on, by its series, to almost {@link #DIGITS}. */
  public static BigDecimal exp(BigDecimal x) {
    BigDecimal sum = BigDecimal.ONE;
    BigDecimal term = BigDecimal.ONE;
    for (int n = 1; term.scaleByPowerOfTen(DIGITS.getPrecision()).compareTo(sum) > 0; n++) {
      term = term.multiply(x, DIGITS).divide(BigDecimal.valueOf(n), DIGITS);
      sum = sum.add(term, DIGITS);
    }
    return sum;
  }
}
