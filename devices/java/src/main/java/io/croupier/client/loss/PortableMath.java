package io.croupier.client.loss;

/**
 * Exponential and logarithm for losses, the same in all languages, bit for bit: this class, {@code
 * croupier.js} and the Python package take the same steps, each an addition, a subtraction, a
 * multiplication, a division, or a scaling by a power of two. Those of {@link Math} differ between
 * machines, and from other languages.
 */
public final class PortableMath {
  /** Below it, {@link #exp} is 0: long before its scaling would lose digits. */
  private static final double LEAST = -690;

  /** ln 2 in two parts; the multiples of the first one by up to 2^20 are exact. */
  private static final double LN2_HIGH = 0x1.62e42feep-1;

  private static final double LN2_LOW = 0x1.a39ef35793c76p-33;
  private static final double INVERSE_LN2 = 0x1.71547652b82fep0;

  /** 1 / n! for n from 14 down to 2. */
  private static final double[] COEFFICIENTS = new double[13];

  /** Of the series of the logarithm; the remainder is below 2^-60 of the first one. */
  private static final int TERMS = 18;

  static {
    double factorial = 1;
    for (int n = 2; n <= 14; n++) {
      factorial *= n;
      COEFFICIENTS[14 - n] = 1 / factorial;
    }
  }

  private PortableMath() {}

  /**
   * e^x for x up to 0, with an error below 1 ulp; 0 for x below -690, where it is below 1e-299. NaN
   * for NaN.
   */
  public static double exp(double x) {
    if (x < LEAST) {
      return 0;
    }
    // x = k ln 2 + r with |r| up to ln(2) / 2, and the Taylor series of e^r.
    double k = Math.floor(x * INVERSE_LN2 + 0.5);
    double high = x - k * LN2_HIGH;
    double low = k * LN2_LOW;
    double r = high - low;
    double sum = 0;
    for (double coefficient : COEFFICIENTS) {
      sum = sum * r + coefficient;
    }
    return Math.scalb(1 + (high - (low - r * r * sum)), (int) k);
  }

  /** ln(1 + x) for finite x of at least 0, with an error below 2 ulp. NaN for NaN. */
  public static double log1p(double x) {
    // 1 + x = 2^k (1 + f) with f up to 1, and ln(1 + f) = 2 artanh(s) by its series.
    double k = 0;
    double f = x;
    if (x > 1) {
      double mantissa = 1 + x;
      while (mantissa > 2) {
        mantissa /= 2;
        k++;
      }
      f = mantissa - 1;
    }
    double s = f / (2 + f);
    double square = s * s;
    double sum = 0;
    for (int n = TERMS; n >= 1; n--) {
      sum = (sum + 2.0 / (2 * n + 1)) * square;
    }
    return k * LN2_HIGH + ((f - s * (f - sum)) + k * LN2_LOW);
  }

  /** The probability 1 / (1 + e^-p) of log odds p; finite for all p, with an error below 4 ulp. */
  public static double probability(double logOdds) {
    double less = exp(-Math.abs(logOdds));
    return (logOdds < 0 ? less : 1) / (1 + less);
  }
}
