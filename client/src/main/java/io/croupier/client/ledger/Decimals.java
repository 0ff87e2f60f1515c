package io.croupier.client.ledger;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Sums as integers: multiples of a decimal unit, rounded up, saturated. */
final class Decimals {
  /** Represents every sum from this value on; further additions don't change it. */
  static final long SATURATED = Long.MAX_VALUE;

  private static final BigDecimal LARGEST = BigDecimal.valueOf(SATURATED);

  private Decimals() {}

  /** The number in units of 10^-decimals, rounded up to an integer; saturated. */
  static long roundUp(BigDecimal number, int decimals) {
    BigDecimal units = number.movePointRight(decimals);
    return units.compareTo(LARGEST) >= 0
        ? SATURATED
        : units.setScale(0, RoundingMode.CEILING).longValueExact();
  }

  /** Sum of two nonnegative numbers, saturated. */
  static long add(long a, long b) {
    long sum = a + b;
    return sum < 0 ? SATURATED : sum;
  }
}
