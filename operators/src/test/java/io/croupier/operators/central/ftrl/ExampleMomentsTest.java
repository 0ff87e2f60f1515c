package io.croupier.operators.central.ftrl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.math.Vectors;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExampleMomentsTest {

  @Test
  void biasAndCovarianceComeBackAsTheyWere() {
    ExampleMoments moments = new ExampleMoments(3, 4, 10);
    double[] x = {1, -2, 0.5};
    double[] sum = new double[9];
    moments.of(x, -3, sum);
    double[] bias = new double[3];
    double[][] covariance = new double[3][3];
    moments.bias(sum, bias);
    moments.covariance(sum, covariance);

    for (int i = 0; i < 3; i++) {
      assertThat(bias[i]).isCloseTo(-3 * x[i], within(1e-13));
      for (int j = 0; j < 3; j++) {
        assertThat(covariance[i][j]).isCloseTo(x[i] * x[j], within(1e-13));
      }
    }
  }

  /** The squared sensitivity: never exceeded, whatever comes in, and attained at the bounds. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 100})
  void theSquaredNormOfAnExampleIsItsFormulaAndAtMostTwo(int d) {
    Random random = new Random(d);
    ExampleMoments moments = new ExampleMoments(d, 0.7, 2.5);
    double[] example = new double[moments.size()];
    for (int i = 0; i < 300; i++) {
      double[] x = new double[d];
      double size = Math.pow(10, 6 * random.nextGaussian());
      Arrays.setAll(x, j -> size * random.nextGaussian());
      double y = Math.pow(10, random.nextGaussian()) * random.nextGaussian();
      moments.of(x, y, example);
      double norm = Math.min(1, Math.sqrt(Vectors.squaredNorm(x)) / 0.7);
      double response = Math.min(1, Math.abs(y) / 2.5);
      assertThat(exactSquaredNorm(example)).isLessThanOrEqualTo(ExampleMoments.SQUARED_SENSITIVITY);
      assertThat(Vectors.squaredNorm(example))
          .isCloseTo(norm * norm * (response * response + norm * norm), within(1e-11));
    }
    double[] x = new double[d];
    x[0] = 5;
    moments.of(x, 100, example);
    assertThat(exactSquaredNorm(example)).isBetween(2 - 1e-11, 2.0);
  }

  /** Without rounding, which might hide an excess. */
  private static double exactSquaredNorm(double[] values) {
    return Arrays.stream(values)
        .mapToObj(BigDecimal::new)
        .map(b -> b.multiply(b))
        .reduce(BigDecimal.ZERO, BigDecimal::add)
        .doubleValue();
  }

  /** Noise of one size on the half that is stored is isotropic for the Frobenius inner product. */
  @Test
  void offTheDiagonalTheMirroredNoiseIsSmallerByTheRootOfTwo() {
    ExampleMoments moments = new ExampleMoments(2, 3, 1);
    double[] ones = new double[5];
    Arrays.fill(ones, 1);
    double[][] noise = new double[2][2];
    moments.covariance(ones, noise);

    assertThat(noise[0][0]).isEqualTo(9);
    assertThat(noise[1][1]).isEqualTo(9);
    assertThat(noise[0][1]).isCloseTo(9 / Math.sqrt(2), within(1e-14));
    assertThat(noise[1][0]).isEqualTo(noise[0][1]);
  }

  @Test
  void clippingKeepsTheDirectionOfAnyFiniteVector() {
    ExampleMoments moments = new ExampleMoments(2, 1, 1);
    double[] example = new double[5];
    moments.of(new double[] {Double.MAX_VALUE, -Double.MAX_VALUE}, Double.MAX_VALUE, example);
    assertThat(example)
        .containsExactly(
            new double[] {Math.sqrt(0.5), -Math.sqrt(0.5), 0.5, -Math.sqrt(0.5), 0.5},
            within(1e-11));
    moments.of(new double[] {Double.MIN_VALUE, 0}, 1, example);
    assertThat(example[0]).isEqualTo(Double.MIN_VALUE);
    moments.of(new double[2], 1, example);
    assertThat(example).containsOnly(0);
  }

  @Test
  void whatIsNotFiniteAddsNothing() {
    ExampleMoments moments = new ExampleMoments(2, 1, 1);
    double[] into = new double[5];
    for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY, -1 / 0.0}) {
      Arrays.fill(into, 7);
      moments.of(new double[] {1, bad}, 1, into);
      assertThat(into).containsOnly(0);
      Arrays.fill(into, 7);
      moments.of(new double[] {bad, 1}, 1, into);
      assertThat(into).containsOnly(0);
      Arrays.fill(into, 7);
      moments.of(new double[] {1, 0}, bad, into);
      assertThat(into).containsOnly(0);
    }
    assertThatThrownBy(() -> moments.of(new double[3], 1, into))
        .hasMessage("x has 3 coordinates and room for 5 sums; expected 2 and 5");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 1, dimension",
    "10001, 1, 1, dimension",
    "1, 0, 1, x_norm",
    "1, 1, NaN, y_bound"
  })
  void boundsOutOfTheirDomainAreNamed(int d, double normBound, double responseBound, String field) {
    assertThatThrownBy(() -> new ExampleMoments(d, normBound, responseBound))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(field + " is ");
  }
}
