package io.croupier.noise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.apache.commons.numbers.gamma.Erfc;
import org.apache.commons.numbers.gamma.RegularizedGamma;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NoiseSourceTest {

  private static NoiseSource scripted(long... bits) {
    return new NoiseSource(LongStream.of(bits).iterator()::nextLong);
  }

  @Test
  void uniformHasItsLaw() {
    NoiseSource source = new NoiseSource(Statistics.seeded(1));
    Statistics.assertLaw(DoubleStream.generate(source::uniform).limit(100_000).toArray(), u -> u);
  }

  @Test
  void uniformReachesBothEndsAndIsNeitherOfThem() {
    assertThat(scripted(-1L, -1L).uniform()).isEqualTo(Math.nextDown(1.0));
    assertThat(scripted(Long.MIN_VALUE, 0).uniform()).isEqualTo(0.5);
    assertThat(scripted(1, 0).uniform()).isEqualTo(0x1p-64);
    assertThat(scripted(0, 0, 1, 0).uniform()).isEqualTo(0x1p-192);
    assertThat(scripted(new long[100]).uniform()).isEqualTo(Double.MIN_NORMAL);
  }

  @Test
  void gaussianHasItsLaw() {
    NoiseSource source = new NoiseSource(Statistics.seeded(2));
    double[] sample = DoubleStream.generate(source::gaussian).limit(200_000).toArray();
    Statistics.assertLaw(sample, z -> Erfc.value(-z / Math.sqrt(2)) / 2);
  }

  @Test
  void gaussianHasItsTails() {
    NoiseSource source = new NoiseSource(Statistics.seeded(3));
    int count = 2_000_000;
    int beyond = 0;
    for (int i = 0; i < count; i++) {
      if (Math.abs(source.gaussian()) > 4) {
        beyond++;
      }
    }
    // Poisson with mean 126.7: outside of the interval with probability 3e-8.
    double expected = count * Erfc.value(4 / Math.sqrt(2));
    assertThat((double) beyond).isCloseTo(expected, within(65.0));
    // Angle 0, radius from 2^-192: no lattice truncates the tail.
    assertThat(scripted(0, 0, 1, 0, 0).gaussian())
        .isCloseTo(Math.sqrt(2 * 192 * Math.log(2)), within(1e-12));
  }

  @Test
  void gaussiansOfAPairAreIndependent() {
    NoiseSource source = new NoiseSource(Statistics.seeded(4));
    int pairs = 100_000;
    double[] products = new double[pairs];
    double[] productsOfSquares = new double[pairs];
    for (int i = 0; i < pairs; i++) {
      double x = source.gaussian();
      double y = source.gaussian();
      products[i] = x * y;
      productsOfSquares[i] = x * x * y * y;
    }
    Statistics.assertCentred("products", products, 1);
    Statistics.assertMean("products of squares", productsOfSquares, 1, 8, 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 10, 1000, 1_000_000})
  void gammaHasItsLaw(int shape) {
    NoiseSource source = new NoiseSource(Statistics.seeded(5));
    double[] sample = DoubleStream.generate(() -> source.gamma(shape)).limit(50_000).toArray();
    Statistics.assertLaw(sample, x -> RegularizedGamma.P.value(shape, x));
  }
}
