package io.croupier.client.ledger;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * A declared number means the shortest decimal that prints it, not the binary fraction that a
 * double holds: ten times 0.1 is 1.
 */
final class Decimals {
  /** Stands for every sum from there on, and stays. */
  static final long SATURATED = Long.MAX_VALUE;

  private static final BigDecimal LARGEST = BigDecimal.valueOf(SATURATED);

  /** Two decimals of so few digits never share a double. */
  private static final MathContext UNAMBIGUOUS = new MathContext(15);

  private Decimals() {}

  static BigDecimal of(double declared) {
    BigDecimal few = new BigDecimal(declared, UNAMBIGUOUS);
    return few.doubleValue() == declared ? few : BigDecimal.valueOf(declared);
  }

  /** The least integer number of units of 10^-decimals that is not below the number; saturated. */
  static long roundUp(BigDecimal number, int decimals) {
    BigDecimal units = number.movePointRight(decimals);
    return units.compareTo(LARGEST) >= 0
        ? SATURATED
        : units.setScale(0, RoundingMode.CEILING).longValueExact();
  }

  /** Sum of two numbers of at least 0, saturated. */
  static long add(long a, long b) {
    long sum = a + b;
    return sum < 0 ? SATURATED : sum;
  }
}
