package io.croupier.accounting.numerics;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * The L2 norm of declared levels, each taken as its shortest decimal: 0.3 and 0.4 have the norm
 * 0.5. Squares are added exactly, and the root is rounded up once.
 *
 * <p>By the inequality of Cauchy and Schwarz it bounds the privacy loss of Laplace noise of scale
 * 2G / tau_j in coordinate j on vectors of L2 norm at most G: the sum of tau_j |D_j| / 2G is at
 * most ||tau|| ||D|| / 2G, and two such vectors differ by ||D|| &lt;= 2G.
 *
 * <p>Squares with different numbers of decimal places are summed separately: each sum has about 34
 * digits, while a single sum could have 1300, which every further addition would process. Not safe
 * for use by several threads.
 */
public final class DecimalNorm {
  private static final double NANOS = 1e9;

  /**
   * Below this every integer number of nanos has at most 15 significant digits. Different decimals
   * of at most 15 digits never map to the same double, so a decimal that maps to the double is its
   * shortest one.
   */
  private static final double FIFTEEN_DIGITS = 1e15;

  /** The largest whole number whose square fits a long. */
  private static final long SQUARE_FITS = 3_037_000_499L;

  /**
   * Scales from the last digit of the largest double to that of the smallest one, with a margin.
   */
  private static final int MIN_SCALE = -310;

  private static final int MAX_SCALE = 345;

  /** Sum of squares of whole nanos, in units of 1e-18; together with {@code small}. */
  private BigInteger attos = BigInteger.ZERO;

  private long small;

  /** Sums of squares of other levels, by the level's scale; null if there are none. */
  private BigDecimal[] byScale;

  /**
   * Adds a level the given number of times.
   *
   * @param level finite and at least 0
   * @param times at least 0
   * @throws IllegalArgumentException if an argument is out of range
   */
  public void add(double level, int times) {
    if (!(level >= 0 && level <= Double.MAX_VALUE) || times < 0) {
      throw new IllegalArgumentException(
          String.format(
              "level is %s, %d times; it must be finite, and neither may be negative",
              level, times));
    }
    double scaled = level * NANOS;
    long nanos = Math.round(scaled);
    if (scaled <= FIFTEEN_DIGITS && nanos / NANOS == level) {
      addNanos(nanos, times);
      return;
    }
    BigDecimal decimal = BigDecimal.valueOf(level);
    BigDecimal squares = decimal.multiply(decimal).multiply(BigDecimal.valueOf(times));
    if (byScale == null) {
      byScale = new BigDecimal[MAX_SCALE - MIN_SCALE + 1];
    }
    int place = decimal.scale() - MIN_SCALE;
    byScale[place] = byScale[place] == null ? squares : byScale[place].add(squares);
  }

  private void addNanos(long nanos, int times) {
    if (nanos <= SQUARE_FITS) {
      long squares = nanos * nanos * times;
      if (Math.multiplyHigh(nanos * nanos, times) == 0 && squares >= 0 && small + squares >= 0) {
        small += squares;
        return;
      }
    }
    attos = attos.add(BigInteger.valueOf(nanos).pow(2).multiply(BigInteger.valueOf(times)));
  }

  /** The norm, rounded up to the given number of decimals. */
  public BigDecimal roundUp(int decimals) {
    BigDecimal squares = new BigDecimal(attos.add(BigInteger.valueOf(small)), 18);
    if (byScale != null) {
      for (BigDecimal part : byScale) {
        squares = part == null ? squares : squares.add(part);
      }
    }
    // The root of a ceiling, rounded up, equals the root rounded up, since whole numbers have whole
    // squares.
    BigInteger[] root =
        squares
            .movePointRight(2 * decimals)
            .setScale(0, RoundingMode.CEILING)
            .toBigIntegerExact()
            .sqrtAndRemainder();
    return new BigDecimal(root[1].signum() == 0 ? root[0] : root[0].add(BigInteger.ONE), decimals);
  }
}
