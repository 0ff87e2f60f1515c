package io.croupier.operators.central.ftrl;

import java.io.Serializable;
import java.util.Arrays;

/**
 * What one example (x, y) adds to the sums of least squares: y x and x x', clipped, in units in
 * which one noise level serves both.
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
 * <p>so under zero-out, where a person's example becomes 0, the squared sensitivity is {@value
 * #SQUARED_SENSITIVITY}, attained where both bounds are. With noise N(0, sigma^2) in every entry
 * this is [K21, Algorithm 2]: noise L Y sigma on the bias, two mechanisms, squared sensitivity 1
 * each in units of their own clipping norm.
 *
 * <p>Under replace-one, where the example becomes another one, the squared sensitivity is {@value
 * #SQUARED_DISTANCE}, not the 8 that two vectors of squared norm 2 may be apart, since the angle
 * between two covariances is never obtuse. Let p, q &lt;= 1 be the norms of x and x', over L, c the
 * cosine between them, and b, b' the responses over Y, at most 1 in magnitude. Then &lt;x x', x'
 * x''&gt; is (p q c)^2, and the squared distance is
 *
 * <pre>
 *   b^2 p^2 + b'^2 q^2 - 2 b b' p q c  +  p^4 + q^4 - 2 (p q c)^2
 *     &lt;= p^2 + q^2 + p^4 + q^4 + 2 s - 2 s^2,   s = p q |c|,
 *     &lt;= 4 + 1/2,
 * </pre>
 *
 * <p>as 2 s - 2 s^2 is at most 1/2 for every s. It is attained by p = q = 1, b = -b' = 1 and c =
 * 1/2. Several participations in one noisy value add up to a vector of at most so many such
 * distances (the triangle inequality), so a count of participations is weighed with it as with any
 * other bound on one. That the grid's rounding towards zero may add to it is in {@link
 * #squaredDistance}: it changes a difference of two entries by less than a step.
 *
 * <p>Symmetric noise: only the half that is stored receives noise, one draw an entry, mirrored. The
 * factor sqrt(2) makes the norm of that half the Frobenius norm of the whole matrix. [K21] adds
 * noise L^2 sigma to the half without it, whose sensitivity is the same L^2 (sum x_i^4 + sum over i
 * &lt; j of x_i^2 x_j^2 is at most ||x||^4, attained at a multiple of a unit vector): equally
 * private, but off the diagonal the noise is L^2 sigma where here it is L^2 sigma / sqrt(2).
 *
 * <p>Rounding: x and y are clipped to 1 - 2^-40 of their bounds, so that what is added keeps its
 * norm within the bound for d up to 10^4 whichever way its products round. Immutable.
 */
public final class ExampleMoments implements Serializable {

  /** Largest squared L2 norm of what one example adds. */
  public static final double SQUARED_SENSITIVITY = 2;

  /** Largest squared L2 distance between what two examples add, before it is rounded to a grid. */
  public static final double SQUARED_DISTANCE = 4.5;

  /** Grid of the moments, whose norm is about 1, where the noise isn't too large. */
  private static final int FINEST_EXPONENT = -20;

  /** A tree that never restarts has room for a deviation below 2^25 steps. */
  private static final int DEVIATION_BITS = 24;

  /** More than the square of a root, and the roots, err by. */
  private static final double ROUNDED_UP = 1 + 0x1p-48;

  private static final double WITHIN = 1 - 0x1p-40;

  private static final int MOST = 1000;

  private static final double SQRT_2 = Math.sqrt(2);

  private final int dimension;
  private final double normBound;
  private final double responseBound;

  /**
   * Moments of examples of a dimension.
   *
   * @param dimension d, from 1 to 1000: beyond, every round would take a decomposition of many
   *     seconds
   * @param normBound L, positive; L^2 finite and not 0
   * @param responseBound Y, likewise
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
   * The grid of the moments: they are multiples of 2^e.
   *
   * @param noiseMultiplier sigma, positive and finite
   */
  public static int gridExponent(double noiseMultiplier) {
    return Math.max(FINEST_EXPONENT, Math.getExponent(noiseMultiplier) - DEVIATION_BITS + 1);
  }

  /**
   * The largest squared L2 distance between what two examples add on the grid, rounded up: (sqrt of
   * {@value #SQUARED_DISTANCE} + sqrt(entries) 2^e)^2, which is at most 1.0007 times {@value
   * #SQUARED_DISTANCE} on the finest grid, and never more than twice the squared norms together.
   *
   * @param dimension d of x
   * @param gridExponent e
   */
  public static double squaredDistance(int dimension, int gridExponent) {
    double rounding = Math.scalb(Math.sqrt(size(dimension)), gridExponent);
    double distance = Math.sqrt(SQUARED_DISTANCE) + rounding;
    return Math.min(4 * SQUARED_SENSITIVITY, distance * distance * ROUNDED_UP);
  }

  /** Number of coordinates d of x. */
  public int dimension() {
    return dimension;
  }

  /** Number of entries of what an example adds: d + d (d + 1) / 2. */
  public int size() {
    return size(dimension);
  }

  /** Number of entries for examples of a dimension. */
  public static int size(int dimension) {
    return dimension + dimension * (dimension + 1) / 2;
  }

  /**
   * Clips (x, y) and writes what it adds into {@code into}, shape [{@link #size()}]. An example
   * with a value that is not finite adds 0, as one with x = 0 does.
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
    // A coordinate is divided by the norm in two steps, neither of which loses bits.
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

  /** NaN if a coordinate is. */
  private static double largest(double[] x) {
    double largest = 0;
    for (double value : x) {
      largest = Math.max(largest, Math.abs(value));
    }
    return largest;
  }

  /** The norm in units of the largest coordinate, so that no square overflows. */
  private static double length(double[] x, double largest) {
    double squares = 0;
    for (double value : x) {
      double share = value / largest;
      squares += share * share;
    }
    return Math.sqrt(squares);
  }

  /** Bias s in the units of the examples, shape [d], from a sum in those of this class. */
  void bias(double[] sum, double[] into) {
    for (int i = 0; i < dimension; i++) {
      into[i] = normBound * responseBound * sum[i];
    }
  }

  /** Covariance W, symmetric, shape [d][d]. */
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
