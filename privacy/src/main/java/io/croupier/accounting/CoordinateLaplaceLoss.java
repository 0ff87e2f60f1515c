package io.croupier.accounting;

import io.croupier.accounting.numerics.GaussLegendre;
import java.util.function.DoubleUnaryOperator;

/**
 * The privacy loss of Laplace noise on several coordinates. A pair of inputs that differ by s_j
 * scales in coordinate j has the sum of the divergences D_a(s_j) of single coordinates [Mir17,
 * Prop. 6]:
 *
 * <pre>
 *   D_a(s) = ln(a exp((a-1) s) / (2a-1) + (a-1) exp(-a s) / (2a-1)) / (a-1),  D_1(s) = s + exp(-s) - 1
 * </pre>
 *
 * <p>The pairs are those whose s_j have a sum of at most epsilon and a sum of squares of at most
 * epsilon^2 / k. The result is k D_a(epsilon / k), which k equal differences attain where k is an
 * integer, and no pair exceeds: the derivative of D_a by s is 0 at 0, increasing, and concave. With
 * the c1 s + c2 s^2 that touches D_a at epsilon / k, c1 and c2 are at least 0, and the difference
 * is 0 at 0 and at epsilon / k, and has a concave derivative that is 0 at epsilon / k; so it is
 * nowhere positive, and the sum of D_a(s_j) is at most c1 epsilon + c2 epsilon^2 / k = k
 * D_a(epsilon / k).
 *
 * <p>rho is that of order 1: D_a(s) / a falls in a, since E exp(y L / s) is cosh y + (s / 2y) sinh
 * y for y = (2a-1) s / 2, up to a factor; its zeros are imaginary, so that its logarithm is a sum
 * of ln(1 + y^2 / z^2), concave in y^2, and D_a / a is s^2 times its slope over y^2.
 *
 * <p>mu: of one coordinate, that of randomised response with the same total variation 1 - exp(-s /
 * 2) [DRS22, Section 3]; mu^2 of the coordinates adds up. mu^2 as a function of s has the
 * properties of D_a that the bound above needs (checked for s from 1e-3 to 32 by a test, not
 * proved). It is attained, for small epsilon, by inputs that differ in one coordinate of k, where
 * the clip bounds their L2 norm.
 *
 * <p><b>On a grid</b> the noise is z steps with a probability proportional to q^|z|, q = exp(-1 /
 * t), t its scale in steps, and inputs differ by m steps, m = s t. A test of z &lt;= j, 0 &lt;= j
 * &lt; m, has errors a = q^(m-j) / (1+q) and b = q^(j+1) / (1+q), both at most 1/2, of the product
 *
 * <pre>
 *   a b = q^(m+1) / (1+q)^2 = exp(-(s + e)) / 4,  e = 2 ln cosh(1 / 2t)
 * </pre>
 *
 * <p>That is the product of the errors, where both are at most 1/2, of tests of continuous noise
 * between inputs that differ by s + e scales. So the discrete trade-off function, which is linear
 * between these points, (0, 1) and (1, 0), is nowhere below the convex one of s + e: the discrete
 * release is a function of the continuous one (Blackwell, in [DRS22]), and no divergence of it is
 * larger. Inputs that differ do so by a step, s t &gt;= 1, so D_a(s + e) &lt;= f(s) = D_a(s + e) -
 * D_a(e) + s t D_a(e), which is 0 at 0 and has a derivative that is at least 0, increasing, and
 * concave. The bound above holds for f: the sum is at most k f(epsilon / k). Where epsilon t &lt;
 * k, it is rather k D_a((1 + t e) epsilon / k), as s + e &lt;= s + s t e. Both fall as t increases,
 * so t may be the least scale.
 *
 * <p>All numbers are rounded up, by less than a relative 1e-10; on the grid rho of one coordinate
 * is above its exact value by at most a quarter, and for t of at least 8 by a relative 1 / (3 m t).
 *
 * @param epsilon in nats, above 0 and at most 1e9
 * @param coordinates k, at least 1 and at most 2^31
 * @param scale t, the least scale of the noise in steps of the grid, at least 1; infinite:
 *     continuous noise
 */
record CoordinateLaplaceLoss(double epsilon, double coordinates, double scale) implements PureLoss {
  private static final double MOST_EPSILON = 1e9;
  private static final double MOST_COORDINATES = 0x1p31;

  /** More than the relative errors of the sums. */
  private static final double UP = 1 + 0x1p-44;

  /** Up to this y, the quadrature of sinh(y u) / u is exact up to rounding. */
  private static final double SMALL = 20;

  CoordinateLaplaceLoss {
    if (!covers(epsilon, coordinates, scale)) {
      throw new IllegalArgumentException(
          "epsilon is "
              + epsilon
              + ", coordinates is "
              + coordinates
              + " and scale is "
              + scale
              + "; they must be above 0 and at most 1e9, from 1 to 2^31, and at least 1");
    }
  }

  static boolean covers(double epsilon, double coordinates, double scale) {
    return epsilon > 0
        && epsilon <= MOST_EPSILON
        && coordinates >= 1
        && coordinates <= MOST_COORDINATES
        && scale >= 1;
  }

  @Override
  public PureLoss at(double other) {
    return PureLoss.ofCoordinates(other, coordinates, scale);
  }

  /** Losses up to this one have a positive probability in {@link #addTo}. */
  double largest() {
    return epsilon + excess();
  }

  /** e: by how many scales the grid seems to increase a difference. */
  private double excess() {
    double half = StrictMath.sinh(0.25 / scale);
    return 2 * StrictMath.log1p(2 * half * half);
  }

  /** Whether k equal differences would be less than a step. */
  private boolean isBelowAStep() {
    return epsilon * scale < coordinates;
  }

  /** Of k equal coordinates of continuous noise. */
  private double shift() {
    double shift = epsilon / coordinates;
    return isBelowAStep() ? shift * (1 + scale * excess()) : shift + excess();
  }

  /** The number of further D_a(e). */
  private double rest() {
    return excess() > 0 && !isBelowAStep() ? epsilon * scale - coordinates : 0;
  }

  /** The bound on the sum of a divergence over the coordinates, rounded up. */
  private double ofAll(DoubleUnaryOperator single) {
    double all = coordinates * single.applyAsDouble(shift());
    return (rest() > 0 ? all + rest() * single.applyAsDouble(excess()) : all) * UP;
  }

  @Override
  public double rho() {
    return ofAll(CoordinateLaplaceLoss::mean);
  }

  /** s + exp(-s) - 1, without cancellation. */
  private static double mean(double shift) {
    if (shift > 1) {
      return shift + StrictMath.expm1(-shift);
    }
    double sum = 0;
    for (int n = 20; n >= 2; n--) {
      sum = (1 - shift * sum) / n;
    }
    return shift * shift * sum;
  }

  /** Adds the distribution of the loss of a single coordinate: two atoms, and a density between. */
  void addTo(LossGrid grid) {
    double largest = largest();
    grid.add(largest, 0.5);
    grid.add(-largest, StrictMath.exp(-largest) / 2);
    grid.add(
        new LossGrid.Density() {
          @Override
          public double of(double loss) {
            return StrictMath.exp((loss - largest) / 2) / 4;
          }
        },
        grid.lossesBetween(-largest, largest),
        0.5);
  }

  @Override
  public double renyi(double order) {
    if (!(order >= 1)) {
      throw ArgumentChecks.refusal("order", order, "it must be at least 1");
    }
    if (order == 1) {
      return rho();
    }
    if (order == Double.POSITIVE_INFINITY) {
      return epsilon;
    }
    return Math.min(epsilon, ofAll(shift -> single(shift, order - 1)));
  }

  /** D_a(s) at a = 1 + x. */
  private static double single(double shift, double x) {
    double less = x * shift;
    double more = less + shift;
    if ((more + less) / 2 > SMALL) {
      double rest = x / (1 + x) * StrictMath.exp(-more - less);
      return shift + (StrictMath.log1p(-x / (1 + 2 * x)) + StrictMath.log1p(rest)) / x;
    }
    // E exp(x L) - 1, from two atoms and a uniform part between them
    double growth = StrictMath.sinh(more / 2) * StrictMath.sinh(less / 2);
    for (int i = 0; i < GaussLegendre.SIZE; i++) {
      double node = GaussLegendre.node(i) / 2;
      growth +=
          shift
              / 2
              * GaussLegendre.weight(i)
              * StrictMath.sinh(more * node)
              * StrictMath.sinh(less * node);
    }
    return StrictMath.log1p(2 * growth * StrictMath.exp(-shift / 2)) / x;
  }

  @Override
  public double mu() {
    if (rest() == 0) {
      return StrictMath.sqrt(coordinates) * singleMu(shift()) * UP;
    }
    return StrictMath.sqrt(ofAll(shift -> singleMu(shift) * singleMu(shift))) * UP;
  }

  /** Of randomised response with the same total variation. */
  private static double singleMu(double shift) {
    double half = shift / 2;
    double response = half + StrictMath.log1p(-StrictMath.expm1(-half));
    return PureDp.mu(response * UP);
  }
}
