package io.croupier.noise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Seeds are fixed. Were they new on every run, a false alarm of this class would have a probability
 * below 1e-7.
 */
class CandidateVectorsTest {
  private static final int COUNT = 200_000;

  /** Of the table in lab/proofs/vectors.md; computed with 30 digits, in Python. */
  @Test
  void knotsAreTheRoundedQuantiles() throws NoSuchAlgorithmException {
    int[] knots = CandidateVectors.knots();
    assertThat(knots).hasSize(6145);
    assertThat(Arrays.copyOf(knots, 3)).containsExactly(109664873, 104526420, 102689250);
    assertThat(knots[1000]).isEqualTo(82382614);
    assertThat(knots[6143]).isEqualTo(41069);
    assertThat(knots[6144]).isZero();
    byte[] array = new byte[4 * knots.length];
    ByteBuffer bytes = ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
    for (int knot : knots) {
      bytes.putInt(knot);
    }
    assertThat(sha256(array))
        .isEqualTo("5bed81b19f97dcfcf112f5542faa3d28d82c1b5ed3177559167d24bfebe57bf2");
  }

  private static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  /** The test vectors of lab/proofs/vectors.md, from an implementation of its text in Python. */
  @Test
  void vectorsAreThoseOfTheSpecification() {
    assertThat(vector(42, 0, 3))
        .containsExactly(0.5374741559832398, 0.8126175453474026, -0.02570919669236707);
    assertThat(vector(42, 1, 3))
        .containsExactly(-0.5374741559832398, -0.8126175453474026, 0.02570919669236707);
    assertThat(vector(42, 2, 3))
        .containsExactly(0.1110123635551725, 0.9397892202495565, 0.2856058158953373);
    assertThat(vector(42, 14, 2)).containsExactly(0.7631888992464865, -0.6295609401592449);
    assertThat(vector(-1, 0, 1)).containsExactly(-0.9277186598270581);
    assertThat(vector(0, 4094, 4))
        .containsExactly(
            0.2567749132215061, -0.09274631366777444, -0.8968863426110805, -0.2951260371373846);
  }

  private static double[] vector(long seed, int index, int d) {
    double[] values = new double[d];
    CandidateVectors.expand(seed, index, 1, values);
    return values;
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /** 9,150 coordinates, bit for bit those of the implementation in Python. */
  @Test
  void manyVectorsAreThoseOfTheSpecification() throws NoSuchAlgorithmException {
    byte[] array = new byte[8 * 9150];
    ByteBuffer bytes = ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 300; i++) {
      for (double value : vector(mix(i), 2 * (i % 2048), 1 + i % 60)) {
        bytes.putDouble(value);
      }
    }
    assertThat(bytes.remaining()).isZero();
    assertThat(sha256(array))
        .isEqualTo("34136a903e835304aa3e1c0ac215a6bfb6eff390b63d7b16fd74558459be6acf");
  }

  /** In the integers of lab/proofs/vectors.md, bit for bit. */
  @Test
  void coordinatesAreThoseOfTheSpecification() {
    int[] knots = CandidateVectors.knots();
    for (int places = 0; places <= 31; places++) {
      // The ends of octaves.
      for (int near = -1; near <= 1; near++) {
        assertSpecified(knots, ((1 << places) + near) & Integer.MAX_VALUE);
        assertSpecified(knots, ((1 << places) + near) | Integer.MIN_VALUE);
      }
    }
    int step = 1;
    for (long bits = 0; bits < 1L << 32; bits += step) {
      // Every tail below 2^16, then each 4,095th, so in all places of a segment.
      step = bits < 1 << 16 ? 1 : 4095;
      assertSpecified(knots, (int) bits);
      assertSpecified(knots, (int) bits | Integer.MIN_VALUE);
    }
  }

  private static void assertSpecified(int[] knots, int bits) {
    int r = bits & Integer.MAX_VALUE;
    int zeros = Integer.numberOfLeadingZeros(r | 256);
    int shift = 23 - zeros;
    int segment = 256 * shift + (r >>> shift);
    long place = ((2L * r + 1) << (zeros - 1)) % (1 << 23);
    long magnitude = ((long) knots[segment] << 23) + (knots[segment + 1] - knots[segment]) * place;
    double expected = Math.scalb((double) (bits < 0 ? -magnitude : magnitude), -47);
    if (CandidateVectors.coordinate(bits) != expected) {
      assertThat(CandidateVectors.coordinate(bits)).as("of %s", bits).isEqualTo(expected);
    }
  }

  /** Over an even lattice of the 2^31 tails; odd moments are 0 by the sign. */
  @Test
  void coordinatesHaveTheMomentsOfTheNormalLaw() {
    double squares = 0;
    double fourths = 0;
    double absolute = 0;
    int step = 1 << 8;
    int count = 1 << 23;
    for (int i = 0; i < count; i++) {
      double x = CandidateVectors.coordinate(i * step + step / 2);
      assertThat(x >= 0).isTrue();
      absolute += x;
      squares += x * x;
      fourths += x * x * x * x;
    }
    assertThat(absolute / count).isCloseTo(Math.sqrt(2 / Math.PI), within(1e-6));
    assertThat(squares / count).isCloseTo(1, within(3e-6));
    assertThat(fourths / count).isCloseTo(3, within(1e-4));
  }

  @Test
  void theSignIsTheHighestBit() {
    for (int bits : new int[] {0, 1, 255, 256, 511, 512, 1 << 30, Integer.MAX_VALUE}) {
      assertThat(CandidateVectors.coordinate(bits | Integer.MIN_VALUE))
          .isEqualTo(-CandidateVectors.coordinate(bits));
    }
    assertThat(CandidateVectors.coordinate(0)).isCloseTo(6.383, within(1e-3));
    assertThat(CandidateVectors.coordinate(Integer.MAX_VALUE)).isBetween(0.0, 1e-8);
  }

  @Test
  void coordinatesDecreaseWithTheirTail() {
    double before = CandidateVectors.coordinate(0);
    for (int r = 1; r > 0; r += Math.max(1, r >>> 12)) {
      double x = CandidateVectors.coordinate(r);
      assertThat(x).as("tail %s", r).isLessThan(before);
      before = x;
    }
  }

  /** On the sphere of three dimensions, every height is uniform. */
  @ParameterizedTest
  @CsvSource({"1, 0, 0", "0, 0, 1", "0.6, -0.8, 0", "0.57735026919, 0.57735026919, 0.57735026919"})
  void vectorsAreUniformOnTheSphere(double x, double y, double z) {
    double[] direction = {x, y, z};
    double[] heights = new double[COUNT];
    Arrays.setAll(heights, n -> CandidateVectors.height(n / 50, n % 50, direction));
    Statistics.assertLaw("heights", heights, t -> (1 + t) / 2, 1e-6);
  }

  @Test
  void vectorsOfOneSeedAreIndependent() {
    double[] products = new double[COUNT];
    Arrays.setAll(
        products,
        n -> {
          double[] first = vector(mix(n), 2 * (n % 7), 4);
          // Of five dimensions, so the last coordinate is made up for.
          double[] whole = Arrays.copyOf(first, 5);
          whole[4] = Math.sqrt(Math.max(0, 1 - Statistics.dot(first, first)));
          return CandidateVectors.height(mix(n), 7 + n % 3, whole);
        });
    // The marginal of five dimensions: density 3 (1 - t^2) / 4.
    Statistics.assertLaw("products", products, t -> (2 + 3 * t - t * t * t) / 4, 1e-6);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 20, 101})
  void expandAndHeightAgree(int d) {
    double[] direction = new double[d + 1];
    for (int j = 0; j < d; j++) {
      direction[j] = Math.sin(j + 1);
    }
    for (int pair = 0; pair < 100; pair++) {
      double[] values = new double[d];
      CandidateVectors.expand(99, 2 * pair, 3, values);
      assertThat(Statistics.dot(values, direction))
          .isCloseTo(3 * CandidateVectors.height(99, pair, direction), within(1e-12));
      double[] opposite = new double[d];
      CandidateVectors.expand(99, 2 * pair + 1, 3, opposite);
      Arrays.setAll(opposite, j -> -opposite[j]);
      assertThat(opposite).containsExactly(values);
      assertThat(Statistics.dot(values, values)).isLessThanOrEqualTo(9 * (1 + 1e-15));
    }
  }

  @Test
  void nothingIsRequiredOfTheDirection() {
    assertThat(CandidateVectors.height(1, 1, new double[] {Double.NaN, 1})).isNaN();
    assertThat(CandidateVectors.height(1, 1, new double[] {0, 0})).isZero();
  }
}
