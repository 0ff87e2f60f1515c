package io.croupier.accounting;

/**
 * Randomised response [War65]: a bit that is the true one with probability (1 + h) / 2, and the
 * opposite otherwise.
 *
 * <p>With h = tanh(epsilon / 2) it is epsilon-LDP, with h = 1 - 2 Phi(-mu / 2) it is mu-GDP: its
 * trade-off function is linear between (0, 1), (p, p) and (1, 0), p the probability of the
 * opposite, and the convex one of mu-GDP contains all three points. No larger h has the guarantee.
 *
 * <p>The bit is drawn with a probability that is a whole multiple of 2^-63, rounded towards 1/2.
 *
 * @param strength h: from 0, no information, to 1, no noise; relative error at most 1e-14
 * @param flips p in units of 2^-63, rounded up; from 1 to 2^62
 */
public record ResponseLaw(double strength, long flips) {
  private static final double SQRT_PI = 1.772453850905516;
  private static final double SQRT_8 = 2.8284271247461903;

  /** More than the relative errors of p, which are a few units of 2^-53 or 3e-15. */
  private static final double UP = 1 + 1e-14;

  /** Below it, the series of erf doesn't lose digits, and 1 - erfc would. */
  private static final double SMALL = 0.5;

  private static final int SERIES_TERMS = 14;

  /**
   * The law of epsilon-LDP.
   *
   * @param epsilon positive, in nats
   * @throws IllegalArgumentException if it is not positive and finite
   */
  public static ResponseLaw ofEpsilon(double epsilon) {
    requireLevel("epsilon", epsilon);
    double odds = StrictMath.exp(-epsilon);
    return new ResponseLaw(StrictMath.tanh(epsilon / 2), flips(odds / (1 + odds)));
  }

  /**
   * The law of mu-GDP.
   *
   * @param mu positive
   * @throws IllegalArgumentException if it is not positive and finite
   */
  public static ResponseLaw ofMu(double mu) {
    requireLevel("mu", mu);
    double d = mu / SQRT_8;
    // Phi(-mu / 2) = erfc(d) / 2; beyond d = 27 it is below the smallest double.
    double opposite = d > 27 ? 0 : StrictMath.exp(-d * d) * GaussianTail.mass(d) / SQRT_PI;
    return new ResponseLaw(d < SMALL ? erf(d) : 1 - 2 * opposite, flips(opposite));
  }

  private static void requireLevel(String name, double level) {
    if (!(level > 0 && level <= Double.MAX_VALUE)) {
      throw ArgumentChecks.refusal(name, level, "it must be positive and finite");
    }
  }

  private static long flips(double probability) {
    // exp(-d^2) has a relative error of d^2 2^-53, far below UP wherever it exceeds 2^-63.
    double units = Math.ceil(probability * UP * 0x1p63);
    return (long) Math.min(0x1p62, Math.max(1, units));
  }

  /** The alternating series, for 0 &lt;= d &lt; 1/2: the first omitted term is below 1e-17 d. */
  private static double erf(double d) {
    double square = d * d;
    double sum = 0;
    for (int n = SERIES_TERMS; n >= 1; n--) {
      // Nested: term n over term n - 1 is -square (2n - 1) / (n (2n + 1)).
      sum = -square * (2 * n - 1) / (n * (2 * n + 1)) * (1 + sum);
    }
    return 2 / SQRT_PI * d * (1 + sum);
  }
}
