package io.croupier.accounting.numerics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DecimalNormTest {
  private static BigDecimal norm(int decimals, double... levels) {
    DecimalNorm norm = new DecimalNorm();
    for (double level : levels) {
      norm.add(level, 1);
    }
    return norm.roundUp(decimals);
  }

  @Test
  void isThatOfTheDecimals() {
    assertThat(norm(9, 0.3, 0.4)).isEqualByComparingTo("0.5");
    assertThat(norm(9, 0.1)).isEqualByComparingTo("0.1");
    assertThat(norm(9)).isZero();
    DecimalNorm hundred = new DecimalNorm();
    hundred.add(0.1, 100);
    assertThat(hundred.roundUp(9)).isEqualByComparingTo("1");
  }

  @Test
  void isRoundedUpOnce() {
    assertThat(norm(9, 1, 1)).isEqualByComparingTo("1.414213563");
    assertThat(norm(0, 1, 1)).isEqualByComparingTo("2");
    assertThat(norm(9, 1e-300)).isEqualByComparingTo("1e-9");
    assertThat(norm(9, 1, 1e-300)).isEqualByComparingTo("1.000000001");
    assertThat(norm(9, 1e300)).isEqualByComparingTo("1e300");
  }

  /** n is the norm of r units if (r - 1)^2 < squares <= r^2: this check needs no root. */
  @Test
  void isTheLeastDecimalWhoseSquareIsNotBelowTheSquares() {
    long seed = 23;
    SplittableRandom random = new SplittableRandom(seed);
    for (int n = 0; n < 500; n++) {
      DecimalNorm norm = new DecimalNorm();
      BigDecimal squares = BigDecimal.ZERO;
      for (int i = random.nextInt(20); i >= 0; i--) {
        double level =
            switch (random.nextInt(4)) {
              case 0 -> random.nextInt(1, 1000) / 100.0;
              case 1 -> random.nextLong(1, 1_000_000_000_000_000L) / 1e9;
              case 2 -> random.nextDouble();
              default -> Double.longBitsToDouble(random.nextLong(1, 0x7fefffffffffffffL));
            };
        int times = random.nextInt(3) == 0 ? random.nextInt(Integer.MAX_VALUE) : 1;
        norm.add(level, times);
        squares = squares.add(BigDecimal.valueOf(level).pow(2).multiply(new BigDecimal(times)));
      }
      BigDecimal root = norm.roundUp(9);
      assertThat(root.scale()).isEqualTo(9);
      assertThat(root.pow(2)).as("seed %s, norm %s", seed, n).isGreaterThanOrEqualTo(squares);
      assertThat(root.subtract(root.ulp()).pow(2).compareTo(squares) < 0 || root.signum() == 0)
          .as("seed %s, norm %s", seed, n)
          .isTrue();
    }
  }

  @Test
  void manyLargeSquaresDoNotOverflow() {
    DecimalNorm norm = new DecimalNorm();
    for (int i = 0; i < 1000; i++) {
      norm.add(3.037000499, 1_000_000);
    }
    // 3.037000499 sqrt(1e9)
    assertThat(norm.roundUp(9)).isEqualByComparingTo("96038.388319080");
    DecimalNorm larger = new DecimalNorm();
    larger.add(999_999.5, Integer.MAX_VALUE);
    larger.add(999_999.5, Integer.MAX_VALUE);
    BigDecimal squares =
        new BigDecimal("999999.5").pow(2).multiply(new BigDecimal(2L * Integer.MAX_VALUE));
    assertThat(larger.roundUp(0).pow(2)).isGreaterThanOrEqualTo(squares);
    assertThat(larger.roundUp(0).subtract(BigDecimal.ONE).pow(2)).isLessThan(squares);
  }

  /** A single sum over all places would take about 600 bytes of digits for each level, twice. */
  @Test
  void levelsThatShareNoPlacesAreAddedAsCheaplyAsOthers() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    DecimalNorm norm = new DecimalNorm();
    norm.add(4.9e-324, 1);
    norm.add(1.2345678901234e9, 1);
    long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    for (int i = 0; i < 10_000; i++) {
      norm.add(i % 2 == 0 ? 4.9e-324 : 1.2345678901234e9, 1);
    }
    long allocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
    assertThat(allocated / 10_000).isLessThan(1000);
  }

  @Test
  void refusesInvalidLevels() {
    DecimalNorm norm = new DecimalNorm();
    for (double bad : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> norm.add(bad, 1))
          .withMessageStartingWith("level is " + bad);
    }
    assertThatIllegalArgumentException().isThrownBy(() -> norm.add(1, -1));
  }
}
