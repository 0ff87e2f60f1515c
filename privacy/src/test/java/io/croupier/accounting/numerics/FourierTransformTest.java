package io.croupier.accounting.numerics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FourierTransformTest {
  private static final int SEED = 29;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8, 64, 256})
  void isTheSumOfItsDefinition(int size) {
    Random random = new Random(SEED);
    double[] real = random.doubles(size, -1, 1).toArray();
    double[] imaginary = random.doubles(size, -1, 1).toArray();
    double[] re = real.clone();
    double[] im = imaginary.clone();

    new FourierTransform(size).transform(re, im);

    for (int k = 0; k < size; k++) {
      double sumOfReal = 0;
      double sumOfImaginary = 0;
      for (int j = 0; j < size; j++) {
        double angle = -2 * Math.PI * ((long) j * k % size) / size;
        sumOfReal += real[j] * Math.cos(angle) - imaginary[j] * Math.sin(angle);
        sumOfImaginary += real[j] * Math.sin(angle) + imaginary[j] * Math.cos(angle);
      }
      assertThat(re[k]).as("size %s, %s", size, k).isCloseTo(sumOfReal, within(1e-13 * size));
      assertThat(im[k]).as("size %s, %s", size, k).isCloseTo(sumOfImaginary, within(1e-13 * size));
    }
  }

  @Test
  void refusesOtherSizes() {
    assertThatThrownBy(() -> new FourierTransform(0)).hasMessageContaining("size is 0");
    assertThatThrownBy(() -> new FourierTransform(12)).hasMessageContaining("size is 12");
  }
}
