package io.croupier.accounting.mechanism;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.numerics.DecimalUnits;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Squares of declared numbers, compared with their definition by decimals. */
class CostTest {
  private static void assertSquare(double mu) {
    BigDecimal decimal = new BigDecimal(Double.toString(mu));
    assertThat(Cost.muSquaredPicos(mu))
        .as("mu %s", mu)
        .isEqualTo(
            decimal
                .multiply(decimal)
                .movePointRight(12)
                .setScale(0, RoundingMode.CEILING)
                .longValueExact());
  }

  @Test
  void theSquareOfAnyNumberIsRoundedUpOnce() {
    SplittableRandom random = new SplittableRandom(12);
    for (int i = 0; i < 20_000; i++) {
      assertSquare(Math.pow(10, -8 + 11 * random.nextDouble()));
    }
  }

  /**
   * Recorded roots of sums, whose squares are hardly above a whole number, and their neighbours.
   */
  @Test
  void aSquareBesideAWholeNumberIsRoundedUpOnce() {
    SplittableRandom random = new SplittableRandom(13);
    for (int i = 0; i < 5_000; i++) {
      double root = DecimalUnits.rootUp((long) Math.pow(10, 15.5 * random.nextDouble()));
      for (int ulps = -6; ulps <= 6; ulps++) {
        assertSquare(root + ulps * Math.ulp(root));
      }
    }
  }

  /** Numbers of 7 to 10 decimals, whose squares are exact. */
  @Test
  void theSquareOfAShortDecimalIsRoundedUpOnce() {
    SplittableRandom random = new SplittableRandom(14);
    for (int i = 0; i < 20_000; i++) {
      assertSquare(random.nextLong(1, 1_000_000_000) / Math.pow(10, random.nextInt(7, 11)));
    }
  }
}
