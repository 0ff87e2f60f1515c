package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.math.BigDecimal;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Ten million rounds of tiny and huge terms, against exact sums. */
class RunningSumTest {
  private static final int ROUNDS = 10_000_000;
  private static final double UNIT_ROUNDOFF = 0x1p-53;

  @Test
  void manyEqualTerms() {
    double term = 1.0 / 3;
    RunningSum sum = new RunningSum();
    double plain = 0;
    for (int t = 0; t < ROUNDS; t++) {
      sum.add(term);
      plain += term;
    }
    double exact = new BigDecimal(term).multiply(new BigDecimal(ROUNDS)).doubleValue();
    assertThat(sum.value()).isEqualTo(exact);
    assertThat(Math.abs(plain - exact)).isGreaterThan(1e-11 * exact);
  }

  /**
   * Alternating terms of size 1e-10 and of size 1e14, both added up as integers; then the huge ones
   * are subtracted.
   */
  @Test
  void tinyAndHugeTerms() {
    RunningSum sum = new RunningSum();
    SplittableRandom random = new SplittableRandom(1);
    long tinySteps = 0;
    long hugeSteps = 0;
    double plain = 0;
    double absolute = 0;
    for (int t = 0; t < ROUNDS; t++) {
      long steps = random.nextInt(1 << 30);
      double x;
      if (t % 2 == 0) {
        tinySteps += steps;
        x = Math.scalb((double) steps, -60);
      } else {
        steps = random.nextBoolean() ? steps : -steps;
        hugeSteps += steps;
        x = Math.scalb((double) steps, 17);
      }
      sum.add(x);
      plain += x;
      absolute += Math.abs(x);
    }
    double allHuge = Math.scalb((double) hugeSteps, 17);
    sum.add(-allHuge);
    plain -= allHuge;

    double exact = Math.scalb((double) tinySteps, -60);
    double bound = UNIT_ROUNDOFF * exact + ROUNDS * UNIT_ROUNDOFF * UNIT_ROUNDOFF * absolute;
    assertThat(bound).isLessThan(0.02 * exact);
    assertThat(sum.value()).isCloseTo(exact, within(bound));
    assertThat(Math.abs(plain - exact)).isGreaterThan(bound);
  }

  @Test
  void saturatesAtTheLargestDouble() {
    RunningSum sum = new RunningSum();
    for (int t = 0; t < 10; t++) {
      sum.add(Double.MAX_VALUE);
      assertThat(sum.value()).isEqualTo(Double.MAX_VALUE);
    }
    sum.add(1);
    assertThat(sum.value()).isEqualTo(Double.MAX_VALUE);
  }

  @Test
  void keepsTinyTermsBesideHugeOnes() {
    RunningSum sum = new RunningSum();
    sum.add(1e100);
    sum.add(1e-5);
    sum.add(-1e100);
    assertThat(sum.value()).isCloseTo(1e-5, within(1e-20));
  }
}
