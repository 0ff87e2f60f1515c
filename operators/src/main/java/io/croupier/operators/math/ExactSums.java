package io.croupier.operators.math;

/**
 * Rounds doubles to multiples of a power of two, as 64-bit integers, so that sums of them don't
 * depend on their order. A value beyond 2^32 multiples is limited to them, so that sums of fewer
 * than 2^31 vectors don't overflow.
 */
public final class ExactSums {
  private static final double MOST = 0x1p32;

  private ExactSums() {}

  /**
   * Returns consecutive doubles, rounded to the nearest multiples of 2^{@code exponent}, in the
   * layout of {@code GRID_SUM}. Values that are not finite are limited, or 0.
   */
  public static byte[] of(byte[] doubles, int exponent) {
    int n = doubles.length / Double.BYTES;
    long[] steps = new long[n];
    for (int i = 0; i < n; i++) {
      double value = Math.scalb(PackedVectors.doubleAt(doubles, i), -exponent);
      steps[i] = (long) Math.rint(Math.max(-MOST, Math.min(MOST, value)));
    }
    return PackedVectors.encode(steps);
  }
}
