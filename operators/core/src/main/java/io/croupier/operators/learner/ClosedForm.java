package io.croupier.operators.learner;

import io.croupier.accounting.GaussianTail;

/**
 * The two integrals of {@link Potential} that have a closed form, relative to exp(E), where E is
 * the exponent at the peak:
 *
 * <pre>
 *   moment = int_{-c}^{c} v exp(a v - b v^2 - E) dv
 *   mass   = int_0^c 2 sinh(a v) exp(-b v^2 - E) dv
 * </pre>
 *
 * <p>With x = a c, y = b c^2, and, in the standard units of the Gaussian, m = a / (2 sqrt b) its
 * centre, k = c sqrt b the edge, d = |k - m| their distance:
 *
 * <ul>
 *   <li>x &lt;= 1, y &lt;= 1/2, flat: the power series in x, whose coefficients are positive
 *       integrals of z^n exp(-y z). Measured: 2e-15.
 *   <li>m &lt;= k, d >= 6: the whole Gaussian, sqrt(pi) m / b for the moment. Measured: 3e-15.
 *   <li>m &lt;= k, m &lt; 1/4 (for the mass with any d): the power series in m, whose coefficients
 *       are moments of the Gaussian up to k. Measured: 3e-15.
 *   <li>m &lt;= k otherwise: the whole Gaussian less its tails beyond both edges. Measured: 6e-15.
 *   <li>m > k, so that x > 1 where not flat: the tail beyond the near edge, towards the centre of
 *       the interval, less the tail beyond the far edge. Measured: 5e-15.
 * </ul>
 *
 * <p>Each form is used where it is well conditioned: no difference increases the relative error by
 * more than a factor of about 30. No exponential grows. Tails are {@link GaussianTail}. "Measured"
 * is the largest relative error at some million points, half of them near the boundaries between
 * the forms.
 *
 * <p>Accuracy: relative error at most 2e-14 over all that {@link #covers} admits, given the slope
 * correctly rounded. Allocates nothing.
 */
final class ClosedForm {
  private static final double SQRT_PI = Math.sqrt(Math.PI);

  /** Bound of the arguments: their squares and cubes stay in range. */
  private static final double LARGEST = 0x1p200;

  private static final double FLAT_COINS = 1;
  private static final double FLAT_VARIANCE = 0.5;
  private static final double SMALL_CENTRE = 0.25;

  /** exp(-36) is 2.3e-16. */
  private static final double FAR = 6;

  /** exp(-40) is 4e-18. */
  private static final double NEGLIGIBLE = 40;

  /** 1 / (2n + 1)!. */
  private static final double[] INVERSE_FACTORIALS = inverseFactorials();

  /** 1 / (n + 1). */
  private static final double[] FROM_ONE = reciprocals(1);

  /** 1 / (n + 3/2). */
  private static final double[] FROM_THREE_HALVES = reciprocals(1.5);

  private ClosedForm() {}

  static boolean covers(double a, double b) {
    return a <= LARGEST && b >= 1 / LARGEST && b <= LARGEST;
  }

  /**
   * Returns whether exp(a v - b v^2) varies so little that exp(E) need not be factored out of the
   * integrals.
   */
  static boolean isFlat(double a, double b, double c) {
    return a * c <= FLAT_COINS && b * c * c <= FLAT_VARIANCE;
  }

  /** Returns the moment times exp(E), where flat. */
  static double flatMoment(double a, double b, double c) {
    return c * c * flatSeries(FROM_THREE_HALVES, a * c, b * c * c);
  }

  /** Returns the mass times exp(E), where flat. */
  static double flatMass(double a, double b, double c) {
    return c * flatSeries(FROM_ONE, a * c, b * c * c);
  }

  /**
   * Returns the moment, where not flat.
   *
   * @param slope a - 2 b c
   * @param decay exp(-E)
   */
  static double moment(double a, double b, double c, double slope, double decay) {
    double x = a * c;
    double y = b * c * c;
    double root = Math.sqrt(b);
    double m = a / (2 * root);
    if (slope <= 0 && slope * slope >= 4 * FAR * FAR * b) {
      return SQRT_PI * m / b;
    }
    double k = c * root;
    double d = Math.abs(slope) / (2 * root);
    if (slope > 0) {
      double near = k * GaussianTail.mass(d) - GaussianTail.moment(d);
      return (2 * x < NEGLIGIBLE ? near + StrictMath.exp(-2 * x) * farMoment(k, d + 2 * k) : near)
          / b;
    }
    if (a * a < 4 * SMALL_CENTRE * SMALL_CENTRE * b) {
      double beyond = StrictMath.exp(-y);
      double whole = SQRT_PI - 2 * beyond * GaussianTail.mass(k);
      return decay * centralSeries(0.5, 0.5 * whole - k * beyond, m, y, k * beyond) / b;
    }
    double far = StrictMath.exp(-2 * x);
    double tails = m * (GaussianTail.mass(d) + far * GaussianTail.mass(k + m)) + 0.5 * (1 - far);
    return (SQRT_PI * m - StrictMath.exp(-d * d) * tails) / b;
  }

  private static double farMoment(double k, double d) {
    return k * GaussianTail.mass(d) + GaussianTail.moment(d);
  }

  /**
   * Returns the mass, where not flat.
   *
   * @param slope a - 2 b c
   * @param decay exp(-E)
   */
  static double mass(double a, double b, double c, double slope, double decay) {
    double x = a * c;
    double y = b * c * c;
    double root = Math.sqrt(b);
    double m = a / (2 * root);
    if (slope <= 0 && a * a < 4 * SMALL_CENTRE * SMALL_CENTRE * b) {
      double beyond = y < NEGLIGIBLE ? StrictMath.exp(-y) : 0;
      return decay * centralSeries(0, 1 - beyond, m, y, beyond) / root;
    }
    double folded = 2 * decay * GaussianTail.mass(m);
    if (slope <= 0 && slope * slope >= 4 * FAR * FAR * b) {
      return (SQRT_PI - folded) / root;
    }
    double d = Math.abs(slope) / (2 * root);
    if (slope <= 0) {
      double tails = StrictMath.exp(-d * d) * edges(x, d, m + c * root, -1);
      return (SQRT_PI - folded - tails) / root;
    }
    return (edges(x, d, d + 2 * c * root, 1) - folded) / root;
  }

  /** Returns the tail beyond the near edge plus or minus that beyond the far edge. */
  private static double edges(double x, double near, double far, double sign) {
    double mass = GaussianTail.mass(near);
    return 2 * x < NEGLIGIBLE
        ? mass + sign * StrictMath.exp(-2 * x) * GaussianTail.mass(far)
        : mass;
  }

  /**
   * Returns x times the integral over (0, 1) of z^shift exp(-y z) sinh(x sqrt z) / (x sqrt z): the
   * sum of x^(2n + 1) / (2n + 1)! int z^(n + shift) exp(-y z) dz. The integrals, divided by
   * exp(-y), follow by downward recurrence; the error of the 15th has shrunk to 2^-58 of the first.
   *
   * @param reciprocals 1 / (n + 1 + shift)
   */
  private static double flatSeries(double[] reciprocals, double x, double y) {
    double square = x * x;
    double integral = reciprocals[14];
    for (int n = 13; n >= 9; n--) {
      integral = Math.fma(y * reciprocals[n], integral, reciprocals[n]);
    }
    double sum = integral * INVERSE_FACTORIALS[9];
    for (int n = 8; n >= 0; n--) {
      integral = Math.fma(y * reciprocals[n], integral, reciprocals[n]);
      sum = Math.fma(sum, square, integral * INVERSE_FACTORIALS[n]);
    }
    return StrictMath.exp(-y) * x * sum;
  }

  /**
   * Returns the sum of (2m)^(2n + 1) / (2n + 1)! F_n, F_n = 2 int_0^k t^(2(n + shift) + 1)
   * exp(-t^2) dt by upward recurrence: its errors grow like n!, and are divided by (2n + 1)!.
   *
   * @param first F_0
   * @param boundary k^(2 shift) exp(-k^2)
   */
  private static double centralSeries(
      double shift, double first, double m, double y, double boundary) {
    double square = 4 * m * m;
    double power = 2 * m;
    double integral = first;
    double beyond = boundary;
    double sum = power * first;
    for (int n = 1; n < INVERSE_FACTORIALS.length; n++) {
      beyond *= y;
      integral = Math.fma(n + shift, integral, -beyond);
      power *= square;
      sum = Math.fma(power * INVERSE_FACTORIALS[n], integral, sum);
    }
    return sum;
  }

  private static double[] inverseFactorials() {
    double[] inverses = new double[10];
    inverses[0] = 1;
    for (int n = 1; n < inverses.length; n++) {
      inverses[n] = inverses[n - 1] / (2 * n * (2 * n + 1));
    }
    return inverses;
  }

  private static double[] reciprocals(double first) {
    double[] reciprocals = new double[15];
    for (int n = 0; n < reciprocals.length; n++) {
      reciprocals[n] = 1 / (first + n);
    }
    return reciprocals;
  }
}
