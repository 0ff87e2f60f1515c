package io.croupier.noise;

import java.util.function.LongSupplier;

/**
 * Integer noise whose law is exact: discrete Laplace and discrete Gaussian variates from fair bits
 * [CKS20, Algorithms 1 to 3], by comparisons of integers. No probability is rounded.
 *
 * <p>Scales are integers here, so the fractions of the paper have 1 as a denominator (its s), and
 * the Gaussian's proposal is Laplace of scale sigma instead of floor(sigma) + 1: the algorithm is
 * exact for any proposal scale t, if y is accepted with probability exp(-(|y| - sigma^2 / t)^2 / (2
 * sigma^2)).
 *
 * <p>No overflow: scales are at most 2^30, so denominators are at most 2 (2^30)^2 = 2^61, which
 * {@link #uniform} supports; a magnitude is below 2^30 (2^32 + 1) &lt; 2^63.
 *
 * <p>Counts of scales are capped at 2^32. In releases of Laplace noise this has no effect, since a
 * magnitude of 2^32 and every larger one saturate. A Gaussian proposal reaches the cap with
 * probability exp(-2^32), which is the only deviation from the Gaussian law.
 *
 * <p>O(1) per variate in expectation; allocates nothing. Not safe for use by several threads.
 */
public final class ExactNoise {
  /** Largest scale, of either law. */
  public static final int LARGEST_SCALE = 1 << 30;

  private static final long MOST_SCALES = 1L << 32;

  private final LongSupplier bits;

  /** Noise from secure bits. */
  public ExactNoise(SecureBits bits) {
    this((LongSupplier) bits);
  }

  ExactNoise(LongSupplier bits) {
    this.bits = bits;
  }

  /**
   * Discrete Laplace: y with probability proportional to exp(-|y| / scale).
   *
   * @param scale from 1 to {@link #LARGEST_SCALE}
   * @return in (-2^63, 2^63); of magnitudes from 2^32 on, only their total probability is exact
   */
  public long laplace(int scale) {
    while (true) {
      long part = uniform(scale);
      if (!survives(part, scale)) {
        continue;
      }
      long scales = 0;
      while (scales < MOST_SCALES && survives()) {
        scales++;
      }
      long magnitude = part + scale * scales;
      boolean negative = bits.getAsLong() < 0;
      // Otherwise 0 would be twice as likely.
      if (magnitude != 0 || !negative) {
        return negative ? -magnitude : magnitude;
      }
    }
  }

  /**
   * Discrete Gaussian: y with probability proportional to exp(-y^2 / (2 sigma^2)).
   *
   * @param sigma from 1 to {@link #LARGEST_SCALE}
   * @return in (-2^63, 2^63)
   */
  public long gaussian(int sigma) {
    while (true) {
      long proposal = laplace(sigma);
      if (accepts(Math.abs(proposal), sigma)) {
        return proposal;
      }
    }
  }

  /**
   * Uniform on 0 .. bound - 1, exactly.
   *
   * @param bound at least 1
   */
  public int below(int bound) {
    return (int) uniform(bound);
  }

  /**
   * True with probability exp(-(magnitude - sigma)^2 / (2 sigma^2)).
   *
   * <p>Beyond sigma, where the square might overflow, the magnitude is sigma + a sigma + b, 0 <= b
   * &lt; sigma, and the exponent a^2 / 2 + a b / sigma + b^2 / (2 sigma^2).
   */
  private boolean accepts(long magnitude, int sigma) {
    long twoSquares = 2L * sigma * sigma;
    if (magnitude < sigma) {
      long missing = sigma - magnitude;
      return survives(missing * missing, twoSquares);
    }
    long a = magnitude / sigma - 1;
    long b = magnitude % sigma;
    for (long i = 0; i < a; i++) {
      for (long j = 0; j < a; j++) {
        if (!survives(1, 2)) {
          return false;
        }
      }
      if (!survives(b, sigma)) {
        return false;
      }
    }
    return survives(b * b, twoSquares);
  }

  /**
   * True with probability exp(-numerator / denominator), which is the probability that the number
   * of consecutive true draws is even, where the k-th draw is true with probability numerator / (k
   * denominator).
   *
   * @param numerator from 0 to the denominator
   */
  boolean survives(long numerator, long denominator) {
    long k = 1;
    while ((k == 1 || uniform(k) == 0) && uniform(denominator) < numerator) {
      k++;
    }
    return (k & 1) == 1;
  }

  /** True with probability exp(-1). */
  private boolean survives() {
    long k = 2;
    while (uniform(k) == 0) {
      k++;
    }
    return (k & 1) == 1;
  }

  /**
   * Uniform on 0 .. bound - 1 [Lem19]: the integer part of bound times a fraction of 63 bits.
   * Fractional parts below 2^63 modulo bound are drawn again, so that the same number of words
   * remains for every integer part.
   *
   * @param bound from 1 to 2^62
   */
  long uniform(long bound) {
    while (true) {
      long word = bits.getAsLong() >>> 1;
      long low = word * bound;
      long fraction = low & Long.MAX_VALUE;
      // The modulus is below bound, so this comparison mostly avoids its division.
      if (fraction >= bound || fraction >= (Long.MAX_VALUE % bound + 1) % bound) {
        return Math.multiplyHigh(word, bound) << 1 | low >>> 63;
      }
    }
  }
}
