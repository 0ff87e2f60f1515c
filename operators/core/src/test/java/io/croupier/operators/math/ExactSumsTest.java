package io.croupier.operators.math;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ExactSumsTest {

  /** Against one scaling by 2^-exponent, over all exponents that a gradient bound allows. */
  @Test
  void roundsToTheNearestMultiple() {
    Random random = new Random(1);
    for (int exponent = -1100; exponent <= 1100; exponent++) {
      double[] values = new double[40];
      for (int i = 0; i < values.length; i++) {
        int size = i < 20 ? exponent + random.nextInt(40) - 4 : random.nextInt(2000) - 1000;
        values[i] = Math.scalb(random.nextGaussian(), size);
      }
      values[0] = Double.NaN;
      values[1] = Double.POSITIVE_INFINITY;
      values[2] = Double.NEGATIVE_INFINITY;
      values[3] = Double.MIN_VALUE;
      double[] ties = {0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0x1p32 - 0.5, 0.25 - 0x1p32, 0x1p32, -0.0};
      for (int i = 0; i < ties.length; i++) {
        values[4 + i] = Math.scalb(ties[i], exponent);
      }

      byte[] sums = ExactSums.of(values, exponent);

      assertThat(sums).hasSize(8 * values.length).isEqualTo(ofBytes(values, exponent));
      for (int i = 0; i < values.length; i++) {
        double scaled = Math.scalb(values[i], -exponent);
        long nearest = (long) Math.rint(Math.max(-0x1p32, Math.min(0x1p32, scaled)));
        assertThat(PackedVectors.longAt(sums, i))
            .as("%s in multiples of 2^%s", values[i], exponent)
            .isEqualTo(nearest);
      }
    }
  }

  private static byte[] ofBytes(double[] values, int exponent) {
    return ExactSums.of(PackedVectors.encode(values), exponent);
  }
}
