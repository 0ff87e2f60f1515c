package io.croupier.accounting.numerics;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.Cost;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.mechanism.Mechanism;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.nio.DoubleBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DecimalSumTest {
  @Test
  void isTheExactSumOfDecimalsOfAnySize() {
    SplittableRandom random = new SplittableRandom(17);
    for (int n = 0; n < 200; n++) {
      DecimalSum sum = new DecimalSum();
      BigDecimal expected = BigDecimal.ZERO;
      for (int i = 0; i < 40; i++) {
        double number = Double.longBitsToDouble(random.nextLong(1, 0x7fefffffffffffffL));
        int times = 1 + random.nextInt(Integer.MAX_VALUE);
        sum.add(number, times);
        expected = expected.add(BigDecimal.valueOf(number).multiply(BigDecimal.valueOf(times)));
      }
      assertThat(sum.toBigDecimal()).as("seed 17, sum %s", n).isEqualByComparingTo(expected);
    }
  }

  @Test
  void takesTheLeastAndTheLargest() {
    DecimalSum sum = new DecimalSum();
    sum.add(Double.MIN_VALUE, 1);
    sum.add(Math.nextDown(Double.MIN_NORMAL), 1);
    sum.add(Double.MAX_VALUE, Integer.MAX_VALUE);
    assertThat(sum.toBigDecimal())
        .isEqualByComparingTo(
            new BigDecimal("1.7976931348623157E308")
                .multiply(new BigDecimal(Integer.MAX_VALUE))
                .add(new BigDecimal("2.225073858507201E-308"))
                .add(new BigDecimal("4.9E-324")));
    assertThat(new DecimalSum().toBigDecimal()).isZero();
  }

  /** A single sum over all places would allocate some 3,000 bytes of digits for each tau, twice. */
  @Test
  void tausOfDifferentScalesAreAddedUpAsCheaplyAsOthers() {
    double[] taus = new double[20_000];
    for (int i = 0; i < taus.length; i++) {
      taus[i] = i % 2 == 0 ? 4.9e-324 : 1.2345678901234e9;
    }
    Mechanism mechanism =
        new CoordinateLaplaceMechanism(DoubleBuffer.wrap(taus), DeclaredClip.COORDINATES, 0);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    Cost cost = mechanism.cost();
    long allocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
    assertThat(cost.epsilonNanos()).isEqualTo(DecimalUnits.SATURATED);
    assertThat(allocated / taus.length).isLessThan(1000);
  }
}
