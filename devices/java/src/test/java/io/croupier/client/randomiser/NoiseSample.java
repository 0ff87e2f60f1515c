package io.croupier.client.randomiser;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.noise.Statistics;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.commons.numbers.gamma.RegularizedBeta;

/**
 * Draws of a mechanism on a fine grid, compared with a law: moments and moment generating function
 * along two directions, the radius, and the independence of direction and radius. At most {@value
 * #ASSERTIONS} statistical assertions.
 */
final class NoiseSample {
  static final int ASSERTIONS = 18;

  /** Relative tolerance for laws on a grid whose steps are below 2^-20 of the noise's scale. */
  private static final double SLACK = 2e-5;

  private final NoiseLaw law;
  private final double[][] noise;
  private final int dimension;
  private final int[] noisy;

  /**
   * Draws a sample.
   *
   * @param release releases of one fixed gradient, in grid steps
   * @param clipped that gradient after correct clipping, in grid steps
   */
  NoiseSample(NoiseLaw law, Supplier<int[]> release, int[] clipped, int gridExponent, int count) {
    this.law = law;
    dimension = clipped.length;
    noisy = IntStream.range(0, dimension).filter(j -> law.size(j, 1) > 0).toArray();
    noise = new double[count][dimension];
    for (double[] z : noise) {
      int[] released = release.get();
      for (int j = 0; j < dimension; j++) {
        assertThat(released[j]).as("coordinate %s", j).isNotEqualTo(Integer.MIN_VALUE);
        z[j] = Math.scalb((double) released[j] - clipped[j], gridExponent);
        if (law.size(j, 1) == 0) {
          assertThat(z[j]).as("noise of coordinate %s, which is not private", j).isZero();
        }
      }
    }
  }

  void assertLaw() {
    double[] axis = new double[dimension];
    axis[0] = 1;
    assertAlong("the first axis", axis);
    double[] diagonal = new double[dimension];
    Arrays.fill(diagonal, 1 / Math.sqrt(dimension));
    assertAlong("the diagonal", diagonal);
    assertRadius();
    assertDirection();
  }

  private void assertAlong(String where, double[] direction) {
    double[] along = new double[noise.length];
    Arrays.setAll(along, i -> Statistics.dot(noise[i], direction));
    double second = law.secondMoment(direction);
    Statistics.assertCentred("noise along " + where, along, second);
    double ofSquare = law.fourthMoment(direction) - second * second;
    Statistics.assertMean(
        "squares along " + where, map(along, z -> z * z), second, ofSquare, SLACK * second);
    double largest = Math.min(0.4 * law.pole(), 1 / Math.sqrt(second));
    for (double beta : new double[] {largest, -largest / 2}) {
      double mean = law.moments(beta, direction);
      double variance = law.moments(2 * beta, direction) - mean * mean;
      Statistics.assertMean(
          "exp(" + beta + " z) along " + where,
          map(along, z -> Math.exp(beta * z)),
          mean,
          variance,
          SLACK * mean);
    }
  }

  private void assertRadius() {
    double[] sums = new double[noise.length];
    Arrays.setAll(sums, i -> size(noise[i], noisy.length));
    Statistics.assertMean(
        "radius", sums, law.meanSize(), law.sizeVariance(), SLACK * law.meanSize());
    Statistics.assertLaw("radius", sums, law::radius, SLACK);
  }

  private void assertDirection() {
    for (boolean far : new boolean[] {false, true}) {
      double[][] half =
          Arrays.stream(noise)
              .filter(z -> law.radius(size(z, noisy.length)) > 0.5 == far)
              .toArray(double[][]::new);
      String where = far ? "at large radius" : "at small radius";
      double[] signs = new double[half.length];
      Arrays.setAll(signs, i -> Math.signum(half[i][0]));
      Statistics.assertCentred("signs " + where, signs, 1);
      if (noisy.length == 1) {
        continue;
      }
      assertPart(where, half, 1);
      if (noisy.length > 3) {
        assertPart(where, half, noisy.length / 2);
      }
      if (law.hasIndependentSigns()) {
        int last = noisy[noisy.length - 1];
        double[] products = new double[half.length];
        Arrays.setAll(products, i -> signs[i] * Math.signum(half[i][last]));
        Statistics.assertCentred("products of signs " + where, products, 1);
      }
    }
  }

  /** Checks the share of the first noisy coordinates in the radius. */
  private void assertPart(String where, double[][] half, int coordinates) {
    double[] parts = new double[half.length];
    Arrays.setAll(parts, i -> size(half[i], coordinates) / size(half[i], noisy.length));
    double a = law.shape() * coordinates;
    double b = law.shape() * (noisy.length - coordinates);
    Statistics.assertLaw(
        "part of the first " + coordinates + " " + where,
        parts,
        p -> RegularizedBeta.value(Math.min(1, p), a, b),
        SLACK);
  }

  private double size(double[] z, int coordinates) {
    double sum = 0;
    for (int i = 0; i < coordinates; i++) {
      sum += law.size(noisy[i], z[noisy[i]]);
    }
    return sum;
  }

  private static double[] map(double[] values, DoubleUnaryOperator function) {
    return Arrays.stream(values).map(function).toArray();
  }
}
