package io.croupier.accounting.numerics;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rounding up gives what the digits of the shortest decimal give. */
class DecimalUnitsTest {
  private static final int NUMBERS = 100_000;

  /** The most units in the last place between a number and a whole number of units. */
  private static final int NEAR = 12;

  private static void assertRoundedByItsDigits(double number, int decimals) {
    assertThat(DecimalUnits.roundUp(number, decimals))
        .as("%s in units of 1e-%d", number, decimals)
        .isEqualTo(DecimalUnits.roundUp(BigDecimal.valueOf(number), decimals));
  }

  @ParameterizedTest
  @ValueSource(ints = {6, 9, 12, 18})
  void numbersOfAllMagnitudesAreRoundedByTheirDigits(int decimals) {
    Random random = new Random(1);
    for (int i = 0; i < NUMBERS; i++) {
      assertRoundedByItsDigits(Math.pow(10, 60 * random.nextDouble() - 40), decimals);
    }
    for (double number :
        new double[] {Double.MIN_VALUE, Double.MIN_NORMAL, 0.1, 1, 1e15, 1e300, Double.MAX_VALUE}) {
      assertRoundedByItsDigits(number, decimals);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {6, 9, 12, 18})
  void numbersNextToWholeUnitsAreRoundedByTheirDigits(int decimals) {
    Random random = new Random(2);
    double scale = Math.pow(10, decimals);
    for (int i = 0; i < NUMBERS; i++) {
      long units = 1 + (random.nextLong() >>> (1 + random.nextInt(62)));
      double number = units / scale;
      int steps = random.nextInt(2 * NEAR + 1) - NEAR;
      assertRoundedByItsDigits(number + steps * Math.ulp(number), decimals);
    }
  }
}
