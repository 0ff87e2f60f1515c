package io.croupier.noise;

import java.util.function.LongSupplier;

/**
 * Uniform, normal and gamma variates from fair bits. Every algorithm is exact in law for real
 * numbers; the only error is the rounding of {@code double} arithmetic, a few units in the last
 * place.
 *
 * <p>O(1) per variate in expectation; allocates nothing. Not safe for use by several threads.
 */
public final class NoiseSource {
  private static final double TWO_PI = 2 * Math.PI;

  private final LongSupplier bits;
  private double spare;
  private boolean hasSpare;

  /** Noise from secure bits. */
  public NoiseSource(SecureBits bits) {
    this((LongSupplier) bits);
  }

  NoiseSource(LongSupplier bits) {
    this.bits = bits;
  }

  /**
   * Uniform on (0, 1): a real number drawn to as many binary places as it needs for 53 significant
   * bits, rounded down. So it is never 0, and it covers all magnitudes near 0: a lattice of
   * multiples of 2^-53 would truncate normal tails at 8.6 standard deviations.
   */
  double uniform() {
    int exponent = -1;
    long places = bits.getAsLong();
    while (places == 0 && exponent > Double.MIN_EXPONENT + Long.SIZE) {
      exponent -= Long.SIZE;
      places = bits.getAsLong();
    }
    exponent = Math.max(exponent - Long.numberOfLeadingZeros(places), Double.MIN_EXPONENT);
    long biased = (long) exponent + Double.MAX_EXPONENT;
    return Double.longBitsToDouble(biased << 52 | bits.getAsLong() >>> 12);
  }

  /**
   * Discards the unused second variate of a pair of normal ones, since a release must not reuse
   * randomness of the previous one.
   */
  public void forget() {
    spare = 0;
    hasSpare = false;
  }

  /** Standard normal [BM58]. */
  public double gaussian() {
    if (hasSpare) {
      hasSpare = false;
      double drawn = spare;
      // Returned noise is not stored.
      spare = 0;
      return drawn;
    }
    double radius = Math.sqrt(-2 * Math.log(uniform()));
    double angle = TWO_PI * ((bits.getAsLong() >>> 11) * 0x1p-53);
    spare = radius * Math.sin(angle);
    hasSpare = true;
    return radius * Math.cos(angle);
  }

  /**
   * Gamma of the given shape and scale 1 [MT00]: accepts at least 95 % of its proposals.
   *
   * @param shape at least 1
   */
  public double gamma(int shape) {
    double mode = shape - 1.0 / 3;
    double width = 1 / Math.sqrt(9 * mode);
    while (true) {
      double x = gaussian();
      double t = width * x;
      if (t <= -1) {
        continue;
      }
      // With v = (1 + t)^3: ln v - (v - 1), without the cancellation for v near 1.
      double bend = 3 * Math.log1p(t) - t * (3 + t * (3 + t));
      if (Math.log(uniform()) < x * x / 2 + mode * bend) {
        double root = 1 + t;
        return mode * root * root * root;
      }
    }
  }
}
