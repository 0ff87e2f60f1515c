package io.croupier.operators.central.ftrl;

import java.io.Serializable;
import java.util.Arrays;

/**
 * The contribution of one example (x, y) to the sums of least squares: y x and x x', clipped, in
 * units in which both use the same noise level.
 *
 * <p>With ||x|| clipped to L and |y| to Y, an example is the vector
 *
 * <pre>
 *   (y x_i / (L Y))_i,   (x_i^2 / L^2)_i,   (sqrt(2) x_i x_j / L^2)_(i &lt; j)
 * </pre>
 *
 * <p>of length d + d (d + 1) / 2: d entries for the bias, then the upper triangle row by row, the
 * diagonal first in each. Its squared L2 norm is
 *
 * <pre>
 *   y^2 ||x||^2 / (L Y)^2 + ||x x'||_F^2 / L^4 = y^2 ||x||^2 / (L Y)^2 + ||x||^4 / L^4 &lt;= 2,
 * </pre>
 *
 * <p>so under zero-out, where a user's example becomes 0, the squared sensitivity is {@value
 * #SQUARED_SENSITIVITY}, attained where both bounds are attained. With noise N(0, sigma^2) in every
 * entry this is [K21, Algorithm 2]: noise L Y sigma on the bias, two mechanisms, squared
 * sensitivity 1 each in units of their own clipping norm.
 *
 * <p>Under replace-one, where the example becomes another one, the squared sensitivity is {@value
 * #SQUARED_DISTANCE}, not 8, the largest squared distance of two vectors of squared norm 2, since
 * the angle between two covariances is never obtuse. Let p, q &lt;= 1 be the norms of x and x',
 * over L, c the cosine between them, and b, b' the responses over Y, at most 1 in magnitude. Then
 * &lt;x x', x' x''&gt; is (p q c)^2, and the squared distance is
 *
 * <pre>
 *   b^2 p^2 + b'^2 q^2 - 2 b b' p q c  +  p^4 + q^4 - 2 (p q c)^2
 *     &lt;= p^2 + q^2 + p^4 + q^4 + 2 s - 2 s^2,   s = p q |c|,
 *     &lt;= 4 + 1/2,
 * </pre>
 *
 * <p>as 2 s - 2 s^2 is at most 1/2 for every s. It is attained by p = q = 1, b = -b' = 1 and c =
 * 1/2. For several participations in one noisy value, the distances add up (triangle inequality),
 * so counts of participations are weighted with it like with any other bound on one participation.
 * {@link #squaredDistance} includes the grid's rounding towards zero, which changes a difference of
 * two entries by less than a step.
 *
 * <p>Symmetric noise: only the stored half receives noise, one draw per entry, which is mirrored.
 * The factor sqrt(2) makes the norm of that half the Frobenius norm of the whole matrix. [K21] adds
 * noise L^2 sigma to the half without it, whose sensitivity is the same L^2 (sum x_i^4 + sum over i
 * &lt; j of x_i^2 x_j^2 is at most ||x||^4, attained at a multiple of a unit vector): equally
 * private, but its noise off the diagonal is L^2 sigma, and here it is L^2 sigma / sqrt(2).
 *
 * <p>Rounding: x and y are clipped to 1 - 2^-40 of their bounds, so that the norm of the
 * contribution stays within the bound for d up to 10^4, however its products round. Immutable.
 */
public final class ExampleMoments implements Serializable {

  /** Largest squared L2 norm of the contribution of one example. */
  public static final double SQUARED_SENSITIVITY = 2;

  /**
   * Largest squared L2 distance between the contributions of two examples, before rounding to a
   * grid.
   */
  public static final double SQUARED_DISTANCE = 4.5;

  /** Exponent of the moments' grid unless the noise is too large; their norm is about 1. */
  private static final int FINEST_EXPONENT = -20;

  /** A tree that never restarts supports a deviation below 2^25 steps. */
  private static final int DEVIATION_BITS = 24;

  /** More than the relative error of the square of a root, and of the roots. */
  private static final double ROUNDED_UP = 1 + 0x1p-48;

  private static final double WITHIN = 1 - 0x1p-40;

  private static final int MOST = 1000;

  private static final double SQRT_2 = Math.sqrt(2);

  private final int dimension;
  private final double normBound;
  private final double responseBound;

  /**
   * Creates the moments of examples of a dimension.
   *
   * @param dimension d, from 1 to 1000; above, every round would need a decomposition of many
   *     seconds
   * @param normBound L, from 1e-100 to 1e100
   * @param responseBound Y, from 1e-100 to 1e100
   */
  public ExampleMoments(int dimension, double normBound, double responseBound) {
    if (dimension < 1 || dimension > MOST) {
      throw new IllegalArgumentException(
          "dimension is " + dimension + "; of dp_ftrl_least_squares it has to be 1 to " + MOST);
    }
    this.dimension = dimension;
    this.normBound = requireBound("x_norm", normBound);
    this.responseBound = requireBound("y_bound", responseBound);
  }

  private static double requireBound(String name, double bound) {
    if (!(bound >= 1e-100 && bound <= 1e100)) {
      throw new IllegalArgumentException(
          "dp_ftrl_least_squares." + name + " is " + bound + "; it has to be 1e-100 to 1e100");
    }
    return bound;
  }

  /**
   * Returns the grid exponent e of the moments, which are multiples of 2^e.
   *
   * @param noiseMultiplier sigma, positive and finite
   */
  public static int gridExponent(double noiseMultiplier) {
    return Math.max(FINEST_EXPONENT, Math.getExponent(noiseMultiplier) - DEVIATION_BITS + 1);
  }

  /**
   * Returns the largest squared L2 distance between the contributions of two examples on the grid,
   * rounded up: (sqrt of {@value #SQUARED_DISTANCE} + sqrt(entries) 2^e)^2, which is at most 1.0007
   * times {@value #SQUARED_DISTANCE} on the finest grid, and never more than four times the squared
   * norm.
   *
   * @param dimension d of x
   * @param gridExponent e
   */
  public static double squaredDistance(int dimension, int gridExponent) {
    double rounding = Math.scalb(Math.sqrt(size(dimension)), gridExponent);
    double distance = Math.sqrt(SQUARED_DISTANCE) + rounding;
    return Math.min(4 * SQUARED_SENSITIVITY, distance * distance * ROUNDED_UP);
  }

  /** Returns the number of coordinates d of x. */
  public int dimension() {
    return dimension;
  }

  /** Returns the number of entries of a contribution: d + d (d + 1) / 2. */
  public int size() {
    return size(dimension);
  }

  /** Returns the number of entries for examples of a dimension. */
  public static int size(int dimension) {
    return dimension + dimension * (dimension + 1) / 2;
  }

  /**
   * Clips (x, y) and writes its contribution into {@code into}, shape [{@link #size()}]. An example
   * with a value that is not finite contributes 0, like one with x = 0.
   */
  public void of(double[] x, double y, double[] into) {
    if (x.length != dimension || into.length != size()) {
      throw new IllegalArgumentException(
          "x has %d coordinates and room for %d sums; expected %d and %d"
              .formatted(x.length, into.length, dimension, size()));
    }
    double largest = largest(x);
    if (!(largest <= Double.MAX_VALUE) || !Double.isFinite(y)) {
      Arrays.fill(into, 0);
      return;
    }
    double length = largest > 0 ? length(x, largest) : 0;
    // A coordinate is divided by the norm in two steps; neither loses bits.
    boolean inside = length * largest <= normBound * WITHIN;
    double divisor = inside ? normBound : largest;
    double factor = inside ? 1 : WITHIN / length;
    double response = Math.max(-WITHIN, Math.min(WITHIN, y / responseBound));
    int at = dimension;
    for (int i = 0; i < dimension; i++) {
      double xi = x[i] / divisor * factor;
      into[i] = response * xi;
      into[at++] = xi * xi;
      for (int j = i + 1; j < dimension; j++) {
        into[at++] = SQRT_2 * (xi * (x[j] / divisor * factor));
      }
    }
  }

  /** Returns the largest magnitude; NaN if a coordinate is NaN. */
  private static double largest(double[] x) {
    double largest = 0;
    for (double value : x) {
      largest = Math.max(largest, Math.abs(value));
    }
    return largest;
  }

  /** Returns the norm in units of the largest coordinate, so that no square overflows. */
  private static double length(double[] x, double largest) {
    double squares = 0;
    for (double value : x) {
      double share = value / largest;
      squares += share * share;
    }
    return Math.sqrt(squares);
  }

  /**
   * Writes the bias s in the units of the examples, shape [d], from a sum in those of this class.
   */
  void bias(double[] sum, double[] into) {
    for (int i = 0; i < dimension; i++) {
      into[i] = normBound * responseBound * sum[i];
    }
  }

  /** Writes the covariance W, symmetric, shape [d][d]. */
  void covariance(double[] sum, double[][] into) {
    double unit = normBound * normBound;
    int at = dimension;
    for (int i = 0; i < dimension; i++) {
      into[i][i] = unit * sum[at++];
      for (int j = i + 1; j < dimension; j++) {
        double w = unit * (sum[at++] / SQRT_2);
        into[i][j] = w;
        into[j][i] = w;
      }
    }
  }
}
