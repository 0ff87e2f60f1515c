package io.croupier.operators.central.ftrl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.math.Vectors;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExampleMomentsTest {

  @Test
  void biasAndCovarianceAreReproduced() {
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

  /** The squared sensitivity is never exceeded, whatever the input, and attained at the bounds. */
  @Tag("ci")
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

  /** The squared norm without rounding, which might hide an excess. */
  private static double exactSquaredNorm(double[] values) {
    return Arrays.stream(values)
        .mapToObj(BigDecimal::new)
        .map(b -> b.multiply(b))
        .reduce(BigDecimal.ZERO, BigDecimal::add)
        .doubleValue();
  }

  /** Noise of one level on the stored half is isotropic for the Frobenius inner product. */
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

  /**
   * The distance of two examples of one user never exceeds the charged bound: for random norms,
   * responses and angles, inside of the bounds and beyond, exactly and rounded to the grid.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 10, 60})
  void twoExamplesAreNoFurtherApartThanTheirBound(int d) {
    Random random = new Random(40 + d);
    ExampleMoments moments = new ExampleMoments(d, 0.7, 2.5);
    for (int exponent : new int[] {-20, -8, -3}) {
      double bound = ExampleMoments.squaredDistance(d, exponent);
      assertThat(bound).isBetween(ExampleMoments.SQUARED_DISTANCE, 8.0);
      double most = 0;
      double mostRounded = 0;
      for (int i = 0; i < 3000; i++) {
        double[][] x = {direction(d, random), direction(d, random)};
        if (i % 3 > 0) {
          // At an angle of about 60 degrees, the worst one, or of 0, 90, 120, 180.
          double cosine =
              i % 3 == 1 ? 0.5 + 0.02 * random.nextGaussian() : random.nextInt(5) / 2.0 - 1;
          x[1] = turned(x[0], x[1], Math.max(-1, Math.min(1, cosine)));
        }
        double[][] added = new double[2][moments.size()];
        for (int k = 0; k < 2; k++) {
          double norm = random.nextBoolean() ? 3 : 0.7 * random.nextDouble();
          double y = (k == 0 ? 1 : -1) * (random.nextBoolean() ? 9 : 5 * random.nextDouble() - 2.5);
          double[] scaled = Arrays.stream(x[k]).map(v -> v * norm).toArray();
          moments.of(scaled, y, added[k]);
        }
        most = Math.max(most, squaredDistance(added, 1, 0));
        double rounded = squaredDistance(added, Math.scalb(1.0, -exponent), exponent);
        mostRounded = Math.max(mostRounded, rounded);
        assertThat(rounded).isLessThanOrEqualTo(bound);
      }
      assertThat(most).isLessThanOrEqualTo(ExampleMoments.SQUARED_DISTANCE);
      assertThat(mostRounded).isPositive();
      if (d > 1) {
        assertThat(most).as("the bound is attained").isGreaterThan(4.49);
      }
    }
  }

  /** The squared distance, exact or rounded to whole steps of a grid. */
  private static double squaredDistance(double[][] added, double toSteps, int exponent) {
    double squares = 0;
    for (int j = 0; j < added[0].length; j++) {
      double difference =
          toSteps == 1
              ? added[0][j] - added[1][j]
              : Math.scalb(steps(added[0][j], toSteps) - steps(added[1][j], toSteps), exponent);
      squares += difference * difference;
    }
    return squares;
  }

  /** Rounds towards zero, like the job. */
  private static double steps(double value, double toSteps) {
    return (double) (int) (value * toSteps);
  }

  private static double[] direction(int d, Random random) {
    double[] x = random.doubles(d, -1, 1).toArray();
    double norm = Math.sqrt(Vectors.squaredNorm(x));
    return Arrays.stream(x).map(v -> v / norm).toArray();
  }

  /** A unit vector at an angle to {@code from}, in the plane of both. */
  private static double[] turned(double[] from, double[] to, double cosine) {
    if (from.length == 1) {
      return cosine < 0 ? new double[] {-from[0]} : from;
    }
    double along = Vectors.dot(from, to);
    double[] across = new double[from.length];
    Arrays.setAll(across, j -> to[j] - along * from[j]);
    double norm = Math.sqrt(Vectors.squaredNorm(across));
    double sine = Math.sqrt(1 - cosine * cosine);
    double[] turned = new double[from.length];
    Arrays.setAll(turned, j -> cosine * from[j] + sine * across[j] / norm);
    return turned;
  }

  /** A search from random starts, including the interior, finds no larger distance. */
  @Test
  void noSearchFindsTwoExamplesFurtherApart() {
    Random random = new Random(45);
    ExampleMoments moments = new ExampleMoments(3, 1, 1);
    double best = 0;
    for (int start = 0; start < 60; start++) {
      double[] at = random.doubles(8, -1, 1).toArray();
      double value = distance(moments, at);
      double step = 0.5;
      while (step > 1e-5) {
        double[] next = at.clone();
        for (int j = 0; j < next.length; j++) {
          next[j] += step * random.nextGaussian();
        }
        double there = distance(moments, next);
        if (there > value) {
          at = next;
          value = there;
        } else {
          step *= 0.98;
        }
      }
      best = Math.max(best, value);
    }
    assertThat(best).isBetween(4.4999, ExampleMoments.SQUARED_DISTANCE);
  }

  private static double distance(ExampleMoments moments, double[] at) {
    double[][] added = new double[2][moments.size()];
    moments.of(Arrays.copyOfRange(at, 0, 3), at[3], added[0]);
    moments.of(Arrays.copyOfRange(at, 4, 7), at[7], added[1]);
    return squaredDistance(added, 1, 0);
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
  void examplesThatAreNotFiniteAddNothing() {
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
