package io.croupier.noise;

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
 * {@link UniformIntegers#below} supports; a magnitude is below 2^30 (2^32 + 1) &lt; 2^63.
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

  /** What a trial returns in place of a variate. */
  static final long REFUSED = Long.MIN_VALUE;

  private static final long MOST_SCALES = 1L << 32;

  private final UniformIntegers integers;
  private final ExponentialCoins coins;

  /** Noise from secure bits. */
  public ExactNoise(SecureBits bits) {
    this(UniformIntegers.of(bits));
  }

  ExactNoise(UniformIntegers integers) {
    this(integers, new ExponentialCoins(integers));
  }

  ExactNoise(UniformIntegers integers, ExponentialCoins coins) {
    this.integers = integers;
    this.coins = coins;
  }

  /**
   * Discrete Laplace: y with probability proportional to exp(-|y| / scale).
   *
   * @param scale from 1 to {@link #LARGEST_SCALE}
   * @return in (-2^63, 2^63); of magnitudes from 2^32 on, only their total probability is exact
   */
  public long laplace(int scale) {
    while (true) {
      long y = laplaceTrial(scale);
      if (y != REFUSED) {
        return y;
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
      long y = gaussianTrial(sigma);
      if (y != REFUSED) {
        return y;
      }
    }
  }

  /** Trials are independent, so the law is that of one trial, given that it is not refused. */
  long laplaceTrial(int scale) {
    long part = integers.below(scale);
    if (!coins.survives(part, scale)) {
      return REFUSED;
    }
    long scales = 0;
    while (scales < MOST_SCALES && coins.survives()) {
      scales++;
    }
    long magnitude = part + scale * scales;
    boolean negative = integers.below(2) == 1;
    if (magnitude == 0 && negative) {
      // Otherwise 0 would be twice as likely.
      return REFUSED;
    }
    return negative ? -magnitude : magnitude;
  }

  /** Refused, too, if its proposal is. */
  long gaussianTrial(int sigma) {
    long proposal = laplaceTrial(sigma);
    return proposal != REFUSED && accepts(Math.abs(proposal), sigma) ? proposal : REFUSED;
  }

  /**
   * True with probability exp(-(magnitude - sigma)^2 / (2 sigma^2)).
   *
   * <p>Beyond sigma, where the square might overflow, the magnitude is sigma + a sigma + b, 0 &lt;=
   * b &lt; sigma, and the exponent a^2 / 2 + a b / sigma + b^2 / (2 sigma^2).
   */
  private boolean accepts(long magnitude, int sigma) {
    long twoSquares = 2L * sigma * sigma;
    if (magnitude < sigma) {
      long missing = sigma - magnitude;
      return coins.survives(missing * missing, twoSquares);
    }
    long a = magnitude / sigma - 1;
    long b = magnitude % sigma;
    for (long i = 0; i < a; i++) {
      for (long j = 0; j < a; j++) {
        if (!coins.survives(1, 2)) {
          return false;
        }
      }
      if (!coins.survives(b, sigma)) {
        return false;
      }
    }
    return coins.survives(b * b, twoSquares);
  }
}
