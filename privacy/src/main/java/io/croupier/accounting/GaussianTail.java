package io.croupier.accounting;

import io.croupier.accounting.numerics.GaussLegendre;

/**
 * Two moments of a Gaussian beyond d >= 0 standard units, relative to its density there:
 *
 * <pre>
 *   mass(d)   = int_0^inf   exp(-2 d t - t^2) dt = sqrt(pi) / 2 erfcx(d)
 *   moment(d) = int_0^inf t exp(-2 d t - t^2) dt = 1 / 2 - d mass(d)
 * </pre>
 *
 * <p>The second moment is needed to full relative accuracy, and the identity loses 2 d^2 ulp of it;
 * therefore one kernel computes both.
 *
 * <p>Method: with M_n the moment of t^n, M_n' = -2 M_(n+1), so that the moments at a grid point are
 * the coefficients of a Taylor series of either function around it. The grid has a spacing of 1/16
 * and ends at 12; the 11th term is below 2^-54 of the sum and is omitted. Beyond 12, twelve terms
 * of the asymptotic series in 1 / (4 d^2): the 13th is below 2^-55.
 *
 * <p>Accuracy: relative error at most 3e-15 for 0 &lt;= d &lt;= 2^500. Allocates nothing. Results
 * have the same bits on every platform, which learners and accounts rely on.
 */
public final class GaussianTail {
  private static final int ROWS_PER_UNIT = 16;
  private static final int LAST = 12;

  /** Moments 0 to 10 of a grid point, each divided by n!. */
  private static final int WIDTH = 11;

  private static final double[] TABLE = table();

  private static final double SQRT_PI = 1.772453850905516;

  /**
   * {@link #massWithin} integrates up to this width, and subtracts above it: the error of the
   * 5-point rule over it is below 1e-16.
   */
  private static final double NARROW = 0.125;

  private GaussianTail() {}

  /** mass(d), for d >= 0. */
  public static double mass(double d) {
    if (d >= LAST) {
      double q = 0.25 / (d * d);
      return (1 - 2 * q * asymptoticMoment(q)) / (2 * d);
    }
    int row = (int) (d * ROWS_PER_UNIT + 0.5);
    double t = 2 * ((double) row / ROWS_PER_UNIT - d);
    int end = row * WIDTH;
    double sum = TABLE[end + WIDTH - 1];
    for (int i = WIDTH - 2; i >= 0; i--) {
      sum = Math.fma(sum, t, TABLE[end + i]);
    }
    return sum;
  }

  /** moment(d), for d >= 0. */
  public static double moment(double d) {
    if (d >= LAST) {
      double q = 0.25 / (d * d);
      return q * asymptoticMoment(q);
    }
    int row = (int) (d * ROWS_PER_UNIT + 0.5);
    double t = 2 * ((double) row / ROWS_PER_UNIT - d);
    int end = row * WIDTH;
    double sum = (WIDTH - 1) * TABLE[end + WIDTH - 1];
    for (int i = WIDTH - 2; i >= 1; i--) {
      sum = Math.fma(sum, t, i * TABLE[end + i]);
    }
    return sum;
  }

  /**
   * mass(d) - mass(d + width) for width >= 0, d + width >= 0 and either d >= 0 or width &lt;= 1/8;
   * relative error at most 1e-14 (1 + d). Integrates mass' = -2 moment where a subtraction would
   * lose digits.
   */
  static double massWithin(double d, double width) {
    if (width > NARROW) {
      return mass(d) - mass(d + width);
    }
    double sum = 0;
    for (int i = 0; i < LossGrid.NODES.length; i++) {
      sum += LossGrid.WEIGHTS[i] * momentAt(d + width * LossGrid.NODES[i]);
    }
    return 2 * width * sum;
  }

  /** moment(d), also for a small negative d, by the reflection of mass. */
  private static double momentAt(double d) {
    return d >= 0 ? moment(d) : 0.5 - d * (SQRT_PI * StrictMath.exp(d * d) - mass(-d));
  }

  /** The sum of (-q)^n (2n + 1)! / n!, nested. */
  private static double asymptoticMoment(double q) {
    double sum = 1;
    for (int i = 46; i >= 6; i -= 4) {
      sum = Math.fma(-i * q, sum, 1);
    }
    return sum;
  }

  /**
   * Computes the table by {@link GaussLegendre} over the window outside which the integrand is
   * below exp(-48) of its maximum.
   */
  private static double[] table() {
    double[] table = new double[(LAST * ROWS_PER_UNIT + 1) * WIDTH];
    for (int row = 0; row < table.length / WIDTH; row++) {
      double d = (double) row / ROWS_PER_UNIT;
      double width = 48 / (d + Math.sqrt(d * d + 48));
      for (int i = 0; i < GaussLegendre.SIZE; i++) {
        double t = width * GaussLegendre.node(i);
        double term = width * GaussLegendre.weight(i) * StrictMath.exp(-t * (2 * d + t));
        for (int n = 0; n < WIDTH; n++) {
          table[row * WIDTH + n] += term;
          term *= t / (n + 1);
        }
      }
    }
    return table;
  }
}
