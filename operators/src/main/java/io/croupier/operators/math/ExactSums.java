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
    double[] values = new double[doubles.length / Double.BYTES];
    for (int i = 0; i < values.length; i++) {
      values[i] = PackedVectors.doubleAt(doubles, i);
    }
    return of(values, exponent);
  }

  /** The same for the doubles of an array, which it leaves as it is. */
  public static byte[] of(double[] values, int exponent) {
    // In two factors, since one may overflow. Where a product is rounded, its multiple is 0.
    double first = Math.scalb(1.0, -exponent / 2);
    double second = Math.scalb(1.0, -exponent - -exponent / 2);
    long[] steps = new long[values.length];
    for (int i = 0; i < steps.length; i++) {
      double value = values[i] * first * second;
      steps[i] = (long) Math.rint(Math.max(-MOST, Math.min(MOST, value)));
    }
    return PackedVectors.encode(steps);
  }
}
