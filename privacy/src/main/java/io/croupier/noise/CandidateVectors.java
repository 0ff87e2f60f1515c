package io.croupier.noise;

/**
 * The unit vectors that a public seed expands to, bit for bit the same on every platform and, by
 * lab/proofs/vectors.md, in every language. They protect nothing: a report of them is private
 * because of how one of them is chosen, whatever they are.
 *
 * <p>Candidate 2i is the i-th vector and candidate 2i + 1 its opposite. With all words modulo 2^64,
 * the k-th word of vector i is mix(mix(seed + g (2i + 1)) + g (k + 1)), [SLF14]'s generator as a
 * function of a counter. Its lower 32 bits make coordinate 2k, the upper ones coordinate 2k + 1:
 * the highest of them is the sign, the others, r, are a tail of the normal law, P(|X| >= |x|) = (r
 * + 1/2) 2^-31, interpolated between the quantiles at {@link #knots}. The vector is divided by its
 * norm, the root of the sum of the squares of coordinates 2k plus that of coordinates 2k + 1, each
 * added up in their order.
 *
 * <p>Accuracy: a coordinate is a normal variate but for a relative 1e-6, and ends at 6.4 standard
 * deviations, as 32 bits do; what a mean over all seeds is off by is below 1e-6 of it.
 *
 * <p>O(D), some nanoseconds a coordinate; allocates nothing. Safe for use by several threads.
 */
public final class CandidateVectors {
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  /** Segments in each octave of r. */
  private static final int SEGMENTS = 256;

  private static final int SEGMENT_BITS = 8;

  /** Octaves of r that are longer than {@link #SEGMENTS}. */
  private static final int OCTAVES = 22;

  /** Binary places of a knot. */
  private static final int PLACES = 24;

  private static final double KNOT_UNIT = Math.scalb(1.0, -PLACES);

  /** The bits of a double's fraction after the first eight. */
  private static final int PLACE_BITS = 52 - SEGMENT_BITS;

  private static final long PLACE_MASK = (1L << PLACE_BITS) - 1;

  private static final long ONE = Double.doubleToRawLongBits(1);

  /** Bits of a segment's index in {@link #LINES}: five of an exponent, and those of a fraction. */
  private static final int INDEX_MASK = (1 << (5 + SEGMENT_BITS)) - 1;

  private static final long SIGN_BIT = 0x8000_0000L;

  /** The knots end where |x| = 0. */
  private static final int LAST = (OCTAVES + 2) * SEGMENTS;

  private static final double ROOT_TWO_PI = 2.5066282746310002;

  /** From here on Q is a continued fraction, below it 1/2 minus a series. */
  private static final double FAR = 2.5;

  /** Shape [2 * 2^13]: |x| where a segment begins, and how it grows with the double's fraction. */
  private static final double[] LINES = lines(knots());

  private CandidateVectors() {}

  /**
   * A candidate of d + 1 coordinates, times a scale, but for its last coordinate.
   *
   * @param index of the candidate, at least 0
   * @param scale length of the candidate with its last coordinate
   * @param values shape [d], filled
   */
  public static void expand(long seed, int index, double scale, double[] values) {
    int d = values.length;
    long state = start(seed, index >>> 1);
    double evens = 0;
    double odds = 0;
    for (int j = 0; j + 1 < d; j += 2) {
      state += GOLDEN;
      long word = mix(state);
      double even = coordinate((int) word);
      double odd = coordinate((int) (word >>> 32));
      values[j] = even;
      values[j + 1] = odd;
      evens += even * even;
      odds += odd * odd;
    }
    long word = mix(state + GOLDEN);
    double last = coordinate((int) word);
    evens += last * last;
    if ((d & 1) == 1) {
      values[d - 1] = last;
      last = coordinate((int) (word >>> 32));
      odds += last * last;
    }
    double factor = scale / Math.sqrt(evens + odds);
    if ((index & 1) == 1) {
      factor = -factor;
    }
    for (int j = 0; j < d; j++) {
      values[j] *= factor;
    }
  }

  /**
   * The inner product of vector {@code pair}, which is candidate 2 {@code pair}, with another one.
   *
   * @param direction shape [D], left as it is
   */
  public static double height(long seed, int pair, double[] direction) {
    long state = start(seed, pair);
    double evens = 0;
    double odds = 0;
    double products = 0;
    double others = 0;
    int j = 0;
    for (; j + 1 < direction.length; j += 2) {
      state += GOLDEN;
      long word = mix(state);
      double even = coordinate((int) word);
      double odd = coordinate((int) (word >>> 32));
      evens += even * even;
      odds += odd * odd;
      products += even * direction[j];
      others += odd * direction[j + 1];
    }
    if (j < direction.length) {
      double even = coordinate((int) mix(state + GOLDEN));
      evens += even * even;
      products += even * direction[j];
    }
    return (products + others) / Math.sqrt(evens + odds);
  }

  /** The state from which the words of a vector follow. */
  static long start(long seed, int pair) {
    return mix(seed + GOLDEN * (2L * pair + 1));
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /**
   * A normal variate from 32 bits. No branch: half of all signs would be foreseen wrongly.
   *
   * <p>As a double, 2r + 1 has the octave of r as its exponent, the segment in the first eight bits
   * of its fraction, and the place between two knots in the others. All numbers are multiples of
   * 2^-47 below 2^3, so nothing is rounded.
   */
  static double coordinate(int bits) {
    long middle = Double.doubleToRawLongBits((double) (((bits << 1) & 0xffff_ffffL) | 1));
    int segment = 2 * segment(middle);
    double place = Double.longBitsToDouble((middle & PLACE_MASK) | ONE) - 1;
    double magnitude = LINES[segment] + LINES[segment + 1] * place;
    return Double.longBitsToDouble(
        Double.doubleToRawLongBits(magnitude) | ((bits & SIGN_BIT) << Integer.SIZE));
  }

  /** The index in {@link #LINES} of the segment that the bits of 2r + 1 name. */
  private static int segment(long middle) {
    return (int) (middle >>> PLACE_BITS) & INDEX_MASK;
  }

  private static double[] lines(int[] knots) {
    double[] lines = new double[2 * (INDEX_MASK + 1)];
    // In the first segments, which are one r each, 2r + 1 has no further bits.
    for (int r = 0; r < SEGMENTS; r++) {
      long middle = Double.doubleToRawLongBits(2.0 * r + 1);
      lines[2 * segment(middle)] = (knots[r] + knots[r + 1]) * (KNOT_UNIT / 2);
    }
    for (int k = SEGMENTS; k < LAST; k++) {
      long middle = Double.doubleToRawLongBits(2 * begin(k) + 1);
      int segment = segment(middle);
      lines[2 * segment] = knots[k] * KNOT_UNIT;
      lines[2 * segment + 1] = (knots[k + 1] - knots[k]) * (KNOT_UNIT * SEGMENTS);
    }
    return lines;
  }

  /** Where segment k begins on the scale of r. */
  private static double begin(int k) {
    int shift = Math.max(0, (k >>> SEGMENT_BITS) - 1);
    return (double) (k - (shift << SEGMENT_BITS)) * (1 << shift);
  }

  /**
   * Ends of segments: |x| 2^24, rounded, decreasing. Shape [{@value #LAST} + 1].
   *
   * <p>By Newton's method from the knot before: Q is convex, so it approaches the root from below.
   * The first knot makes the first segment, all beyond 6.2 standard deviations, as large as its
   * mean.
   */
  static int[] knots() {
    int[] knots = new int[LAST + 1];
    double x = 0;
    for (int k = LAST - 1; k >= 1; k--) {
      double tail = begin(k) * 0x1p-32;
      double step;
      do {
        step = (tail(x) - tail) / density(x);
        x += step;
      } while (step > 1e-14 * x);
      knots[k] = rounded(x);
    }
    knots[0] = rounded(2 * density(x) * 0x1p32 - x);
    return knots;
  }

  private static int rounded(double x) {
    return (int) Math.floor(x * (1 << PLACES) + 0.5);
  }

  private static double density(double x) {
    return StrictMath.exp(-x * x / 2) / ROOT_TWO_PI;
  }

  /** Q(x), the upper tail of the normal law; relative error below 1e-13. */
  private static double tail(double x) {
    if (x < FAR) {
      double term = x;
      double sum = x;
      for (int n = 3; term > sum * 0x1p-54; n += 2) {
        term *= x * x / n;
        sum += term;
      }
      return 0.5 - density(x) * sum;
    }
    double fraction = x;
    for (int n = 150; n >= 1; n--) {
      fraction = x + n / fraction;
    }
    return density(x) / fraction;
  }
}
