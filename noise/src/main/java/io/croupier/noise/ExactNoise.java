package io.croupier.noise;

import java.util.function.LongSupplier;

/**
 * Integer noise whose law is exact: discrete Laplace and discrete Gaussian variates from fair bits
 * [CKS20, Algorithms 1 to 3], by comparisons of integers. No probability is rounded anywhere.
 *
 * <p>Scales are integers here, so the fractions of the paper have 1 as a denominator (its s), and
 * the Gaussian's proposal is Laplace of scale sigma instead of floor(sigma) + 1: the algorithm is
 * exact for any proposal scale t, with exp(-(|y| - sigma^2 / t)^2 / (2 sigma^2)) to accept y.
 *
 * <p>No overflow: scales are at most 2^30, so that denominators are at most 2 (2^30)^2 = 2^61,
 * which {@link #uniform} takes; a magnitude is below 2^30 (2^32 + 1) &lt; 2^63.
 *
 * <p>Counts of scales end at 2^32. A release of Laplace noise doesn't show that, as a magnitude of
 * 2^32 saturates it, and so does every larger one. A Gaussian proposal gets there with probability
 * exp(-2^32): that is all by which the Gaussian's law is off.
 *
 * <p>O(1) a variate in expectation; allocates nothing. Not safe for use by several threads.
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
   * @return in (-2^63, 2^63); from magnitude 2^32 on, only that it is so large has its probability
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
      // Else 0 would be twice as likely.
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
   * True with probability exp(-numerator / denominator): the number of draws in a row that come out
   * true, the k-th with probability numerator / (k denominator), is even.
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
   * Fractional parts below 2^63 modulo bound are drawn again, so that every integer part is left
   * with as many words.
   *
   * @param bound from 1 to 2^62
   */
  long uniform(long bound) {
    while (true) {
      long word = bits.getAsLong() >>> 1;
      long low = word * bound;
      long fraction = low & Long.MAX_VALUE;
      // The modulus takes a division, and is below bound.
      if (fraction >= bound || fraction >= (Long.MAX_VALUE % bound + 1) % bound) {
        return Math.multiplyHigh(word, bound) << 1 | low >>> 63;
      }
    }
  }
}
