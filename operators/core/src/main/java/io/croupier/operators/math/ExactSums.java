package io.croupier.operators.math;

/**
 * Rounds doubles to multiples of a power of two, as 64-bit integers, so that sums of them don't
 * depend on their order. A value beyond 2^32 multiples is limited to them, so that sums of fewer
 * than 2^31 vectors don't overflow.
 */
public final class ExactSums {
  private static final double MOST = 0x1p32;

  private static final double TO_WHOLE = 0x1.8p52;
  private static final long TO_WHOLE_BITS = Double.doubleToRawLongBits(TO_WHOLE);

  private ExactSums() {}

  /**
   * Returns consecutive doubles, rounded to the nearest multiples of 2^{@code exponent}, in the
   * layout of {@code GRID_SUM}. Values that are not finite are limited, or 0.
   *
   * @param doubles shape [8 d]
   */
  public static byte[] of(byte[] doubles, int exponent) {
    Steps steps = new Steps(exponent);
    byte[] sums = new byte[doubles.length];
    for (int i = 0; i < sums.length / Long.BYTES; i++) {
      PackedVectors.setLong(sums, i, steps.nearest(PackedVectors.doubleAt(doubles, i)));
    }
    return sums;
  }

  /** The same for the doubles of an array, which it leaves as it is. */
  public static byte[] of(double[] values, int exponent) {
    Steps steps = new Steps(exponent);
    byte[] sums = new byte[Math.multiplyExact(values.length, Long.BYTES)];
    for (int i = 0; i < values.length; i++) {
      PackedVectors.setLong(sums, i, steps.nearest(values[i]));
    }
    return sums;
  }

  /** Multiples of 2^exponent: a factor in two parts, since 2^-exponent may overflow. */
  private record Steps(double first, double second) {
    Steps(int exponent) {
      this(Math.scalb(1.0, -exponent / 2), Math.scalb(1.0, -exponent - -exponent / 2));
    }

    /** Where the second product is rounded, it is nearest to 0. */
    long nearest(double value) {
      double scaled = value * first * second;
      if (Math.abs(scaled) < MOST) {
        // The sum's last place is 1, so its bits count what is above TO_WHOLE.
        return Double.doubleToRawLongBits(scaled + TO_WHOLE) - TO_WHOLE_BITS;
      }
      return (long) Math.max(-MOST, Math.min(MOST, scaled));
    }
  }
}
