package io.croupier.noise;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The law of integers and coins, from words of fair bits. With new seeds, a false alarm of this
 * class would have a probability below 1e-6.
 */
class UniformIntegersTest {
  private static final int COUNT = 200_000;
  private static final BigInteger WORDS = BigInteger.TWO.pow(63);

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 256, 1000})
  void belowIsUniform(int bound) {
    UniformIntegers integers = InsecureNoise.integers(7);
    long[] observed = new long[bound];
    for (int n = 0; n < COUNT; n++) {
      observed[(int) integers.below(bound)]++;
    }
    double[] flat = new double[bound];
    Arrays.fill(flat, 1.0 / bound);
    if (bound > 1) {
      Statistics.assertFrequencies("below", observed, flat);
    } else {
      assertThat(observed[0]).isEqualTo(COUNT);
    }
  }

  @Test
  void drawsAgainWhereSomeIntegersWouldHaveMoreWordsThanOthers() {
    // 2^63 = 2 modulo 3, so two words of 63 bits are rejected: those whose fraction is 0 or 1.
    assertThat(ofWords(0, 1L << 63).below(3)).isEqualTo(1);
    // word * 3 = 2^63 + 1, a fraction of 1: drawn again.
    long one = Long.divideUnsigned(0x8000000000000001L, 3);
    assertThat(one * 3).isEqualTo(0x8000000000000001L);
    assertThat(ofWords(one << 1, -1).below(3)).isEqualTo(2);
    // The next word has a fraction of 4, and is accepted.
    assertThat(ofWords((one + 1) << 1).below(3)).isEqualTo(1);
  }

  @Test
  void reachesBothEndsOfWideRanges() {
    for (long bound : new long[] {1, 2, 1L << 31, 1L << 61, 1L << 62}) {
      assertThat(ofWords(-1).below(bound)).isEqualTo(bound - 1);
      assertThat(ofWords(0).below(bound)).isZero();
    }
  }

  private static UniformIntegers ofWords(long... words) {
    return UniformIntegers.ofWords(LongStream.of(words).iterator()::nextLong);
  }

  /**
   * Every integer has floor(2^63 / bound) words, so all are equally likely. The words of integer i
   * are consecutive, and begin at ceil(i 2^63 / bound). From one to the next the fraction grows by
   * bound, and fractions below 2^63 modulo bound, which is less, are refused: at most the first.
   * The test runs the sampler on the first two and the last word of each integer.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 5, 12, 64, 255, 256, 1000, 4096, 1_000_003})
  void everyIntegerHasAsManyWords(long bound) {
    assertEqualNumbersOfWords(bound, LongStream.range(0, Math.min(bound, 5000)));
  }

  @ParameterizedTest
  @ValueSource(longs = {(1L << 31) - 1, (1L << 53) + 1, (1L << 60) - 93, (1L << 61) - 1})
  void integersOfWideRangesHaveAsManyWords(long bound) {
    assertEqualNumbersOfWords(bound, new SplittableRandom(8).longs(2000, 0, bound));
    assertEqualNumbersOfWords(bound, LongStream.of(0, 1, bound - 2, bound - 1));
  }

  private static void assertEqualNumbersOfWords(long bound, LongStream integers) {
    BigInteger big = BigInteger.valueOf(bound);
    BigInteger share = WORDS.divide(big);
    long refused = WORDS.mod(big).longValue();
    integers.forEach(
        i -> {
          BigInteger[] begin = WORDS.multiply(BigInteger.valueOf(i)).divideAndRemainder(big);
          boolean isWhole = begin[1].signum() == 0;
          long first = begin[0].longValue() + (isWhole ? 0 : 1);
          // word * bound - i 2^63
          long fraction = isWhole ? 0 : bound - begin[1].longValue();
          BigInteger end =
              WORDS.multiply(BigInteger.valueOf(i + 1)).subtract(BigInteger.ONE).divide(big);
          boolean isFirstRefused = fraction < refused;
          assertThat(isAccepted(bound, first)).isEqualTo(!isFirstRefused);
          assertThat(ofWords((first + 1) << 1).below(bound)).isEqualTo(i);
          assertThat(ofWords(end.longValue() << 1).below(bound)).isEqualTo(i);
          BigInteger words = end.subtract(BigInteger.valueOf(first)).add(BigInteger.ONE);
          assertThat(isFirstRefused ? words.subtract(BigInteger.ONE) : words).isEqualTo(share);
        });
  }

  /** Whether a word is used, and not drawn again. */
  private static boolean isAccepted(long bound, long word) {
    long[] drawn = {0};
    UniformIntegers.ofWords(() -> drawn[0]++ == 0 ? word << 1 : -1L).below(bound);
    return drawn[0] == 1;
  }

  @Test
  void aCoinIsTrueForTheWordsUpToItsLast() {
    for (long last : new long[] {0, 1, 12345, Long.MAX_VALUE - 1}) {
      assertThat(ofWords(0).isUpTo(last)).isTrue();
      assertThat(ofWords(last << 1 | 1).isUpTo(last)).isTrue();
      assertThat(ofWords((last + 1) << 1).isUpTo(last)).isFalse();
      assertThat(ofWords(-1).isUpTo(last)).isFalse();
    }
    assertThat(ofWords(-1).isUpTo(Long.MAX_VALUE)).isTrue();
  }

  @Test
  void anEventOccursForAsManyIntegersAsItsNumerator() {
    for (int denominator = 1; denominator < 12; denominator++) {
      for (int numerator = 0; numerator <= denominator; numerator++) {
        int trues = 0;
        for (int outcome = 0; outcome < denominator; outcome++) {
          trues += new Scripted(outcome).occurs(numerator, denominator) ? 1 : 0;
        }
        assertThat(trues).isEqualTo(numerator);
      }
    }
  }

  /** Returns one outcome. */
  private static final class Scripted extends UniformIntegers {
    private final long outcome;

    Scripted(long outcome) {
      this.outcome = outcome;
    }

    @Override
    public long below(long bound) {
      return outcome;
    }

    @Override
    public boolean isUpTo(long last) {
      throw new UnsupportedOperationException();
    }
  }
}
