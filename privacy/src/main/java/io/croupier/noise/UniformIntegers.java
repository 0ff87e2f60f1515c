package io.croupier.noise;

import java.util.function.LongSupplier;

/**
 * Uniform integers: all that exact samplers draw. The law of a sampler is therefore a function of
 * the outcomes of these methods, each of a stated rational probability. Only this package extends
 * the class; its tests do so to run a sampler on every outcome.
 *
 * <p>O(1) in expectation; allocates nothing. Not safe for use by several threads.
 */
public abstract class UniformIntegers {
  UniformIntegers() {}

  /** Integers from secure bits. */
  public static UniformIntegers of(SecureBits bits) {
    return ofWords(bits);
  }

  static UniformIntegers ofWords(LongSupplier words) {
    return new OfWords(words);
  }

  /**
   * Uniform on 0 .. bound - 1, exactly.
   *
   * @param bound from 1 to 2^62
   */
  public abstract long below(long bound);

  /**
   * True with probability (last + 1) / 2^63, exactly.
   *
   * @param last from 0 to 2^63 - 1
   */
  public abstract boolean isUpTo(long last);

  /**
   * True with probability numerator / denominator, exactly.
   *
   * @param numerator from 0 to the denominator
   * @param denominator from 1 to 2^62
   */
  boolean occurs(long numerator, long denominator) {
    return below(denominator) < numerator;
  }

  private static final class OfWords extends UniformIntegers {
    private final LongSupplier words;

    OfWords(LongSupplier words) {
      this.words = words;
    }

    /**
     * [Lem19]: the integer part of bound times a fraction of 63 bits. Fractional parts below 2^63
     * modulo bound are drawn again, so that the same number of words remains for every integer
     * part.
     */
    @Override
    public long below(long bound) {
      while (true) {
        long word = words.getAsLong() >>> 1;
        long low = word * bound;
        long fraction = low & Long.MAX_VALUE;
        // The modulus is below bound, so this comparison mostly avoids its division.
        if (fraction >= bound || fraction >= (Long.MAX_VALUE % bound + 1) % bound) {
          return Math.multiplyHigh(word, bound) << 1 | low >>> 63;
        }
      }
    }

    @Override
    public boolean isUpTo(long last) {
      return words.getAsLong() >>> 1 <= last;
    }
  }
}
