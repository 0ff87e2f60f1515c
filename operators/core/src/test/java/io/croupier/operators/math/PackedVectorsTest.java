package io.croupier.operators.math;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.report.VectorForm;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PackedVectorsTest {
  private static final int[] NO_INDICES = {};

  /** Lengths around the unrolled loops and the block. */
  private static final int[] LENGTHS = {0, 1, 3, 4, 7, 8, 9, 1023, 1024, 1025, 5000};

  private static double[] gaussian(int n) {
    return new Random(n).doubles(n, -3, 3).toArray();
  }

  @Test
  void denseIsLittleEndian() {
    double[] x = {1.5, -0.0, Double.MIN_VALUE, 1e300};
    byte[] bytes = PackedVectors.encode(x);
    ByteBuffer expected = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN);
    for (double value : x) {
      expected.putDouble(value);
    }
    assertThat(bytes).isEqualTo(expected.array());
    assertThat(PackedVectors.doubleAt(bytes, 2)).isEqualTo(Double.MIN_VALUE);
  }

  @Test
  void denseRoundTrip() {
    for (int n : LENGTHS) {
      double[] x = gaussian(n);
      byte[] bytes = PackedVectors.encode(x);
      double[] y = new double[n];
      double squares = PackedVectors.decode(VectorForm.DENSE, bytes, NO_INDICES, 0, 1, y);
      assertThat(y).isEqualTo(x);
      double expected = 0;
      for (double value : x) {
        expected += value * value;
      }
      assertThat(squares).isCloseTo(expected, within(1e-12 * expected));
      assertThat(PackedVectors.squaredNorm(VectorForm.DENSE, bytes, 0))
          .isCloseTo(expected, within(1e-12 * expected));
      assertThat(Vectors.squaredNorm(x)).isCloseTo(expected, within(1e-12 * expected));
      assertThat(Vectors.dot(x, x)).isCloseTo(expected, within(1e-12 * expected));
    }
  }

  @Test
  void gridIsScaledByAPowerOfTwo() {
    int[] steps = {Integer.MIN_VALUE, -1, 0, 7, Integer.MAX_VALUE};
    byte[] bytes = PackedVectors.encode(steps);
    double[] x = new double[5];
    double squares = PackedVectors.decode(VectorForm.GRID, bytes, NO_INDICES, -20, 0.5, x);
    for (int i = 0; i < 5; i++) {
      assertThat(x[i]).isEqualTo(Math.scalb((double) steps[i], -21));
    }
    assertThat(squares)
        .isCloseTo(
            PackedVectors.squaredNorm(VectorForm.GRID, bytes, -20) / 4, within(1e-15 * squares));
  }

  @Test
  void normsOfGridVectorsAgreeInBothWidths() {
    for (int n : LENGTHS) {
      int[] steps = new Random(n).ints(n).toArray();
      long[] sums = new long[n];
      PackedVectors.addGrid(PackedVectors.encode(steps), sums);
      double expected = 0;
      for (int step : steps) {
        expected += Math.scalb((double) step, -20) * Math.scalb((double) step, -20);
      }
      assertThat(PackedVectors.squaredNorm(VectorForm.GRID, PackedVectors.encode(steps), -20))
          .isCloseTo(expected, within(1e-12 * expected));
      assertThat(PackedVectors.squaredNorm(VectorForm.GRID_SUM, PackedVectors.encode(sums), -20))
          .isCloseTo(expected, within(1e-12 * expected));
    }
  }

  @Test
  void gridSumsAreExact() {
    Random random = new Random(3);
    long[] sum = new long[6];
    long[] expected = new long[6];
    for (int report = 0; report < 1000; report++) {
      int[] steps = random.ints(6).toArray();
      PackedVectors.addGrid(PackedVectors.encode(steps), sum);
      for (int j = 0; j < 6; j++) {
        expected[j] = Math.addExact(expected[j], steps[j]);
      }
    }
    assertThat(sum).isEqualTo(expected);
    long[] twice = sum.clone();
    PackedVectors.addGridSum(PackedVectors.encode(sum), twice);
    double[] mean = new double[6];
    PackedVectors.decode(
        VectorForm.GRID_SUM, PackedVectors.encode(twice), NO_INDICES, -16, 1.0 / 2000, mean);
    for (int j = 0; j < 6; j++) {
      assertThat(twice[j]).isEqualTo(2 * expected[j]);
      double exact = Math.scalb((double) expected[j], -16) / 1000;
      assertThat(mean[j]).isCloseTo(exact, within(1e-15 * Math.abs(exact)));
    }
  }

  @Test
  void sparseDoesNotChangeOtherCoordinates() {
    byte[] bytes = PackedVectors.encode(new double[] {3, -4});
    int[] indices = {4, 1};
    double[] x = {9, 9, 9, 9, 9};
    double squares = PackedVectors.decode(VectorForm.SPARSE, bytes, indices, 0, 0.5, x);
    assertThat(x).containsExactly(9, -2, 9, 9, 1.5);
    assertThat(squares).isEqualTo(6.25);
    assertThat(PackedVectors.squaredNorm(VectorForm.SPARSE, bytes, 0)).isEqualTo(25);
  }

  /** Exact sums of sparse reports, on a grid. */
  @Test
  void sparseSumsAreOnAGrid() {
    byte[] bytes = PackedVectors.encode(new long[] {3, -(1L << 40)});
    double[] x = {9, 9, 9};
    PackedVectors.decode(VectorForm.SPARSE_SUM, bytes, new int[] {2, 0}, -40, 1, x);
    assertThat(x).containsExactly(-1, 9, 0x3p-40);
    assertThat(PackedVectors.count(VectorForm.SPARSE_SUM, bytes)).isEqualTo(2);
    assertThat(PackedVectors.squaredNorm(VectorForm.SPARSE_SUM, bytes, -40))
        .isCloseTo(1, within(1e-15));
  }

  @Test
  void refusesBytesThatDoNotFit() {
    assertThatThrownBy(
            () ->
                PackedVectors.decode(
                    VectorForm.DENSE, new byte[16], NO_INDICES, 0, 1, new double[3]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 values for a vector of 3");
    assertThatThrownBy(() -> PackedVectors.count(VectorForm.GRID, new byte[7]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("7 bytes");
    assertThatThrownBy(() -> Vectors.dot(new double[2], new double[3]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
