package io.croupier.client.randomiser;

import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.noise.NoiseSource;
import io.croupier.noise.SecureBits;
import io.croupier.schemas.SubExponential;

/**
 * Laplace noise for the L2 ball [CMS11]: density proportional to exp(-c ||z||), c = epsilon / 2G. A
 * direction uniform on the sphere times an independent radius, Gamma of shape d and scale 1/c.
 *
 * <p>Guarantee: epsilon-LDP under replace-one. The logarithm of the density changes by at most c
 * times the sensitivity 2G.
 *
 * <p>E||z||^2 = d (d + 1) / c^2; variance along any direction (d + 1) / c^2; directional moment
 * generating function (1 - beta^2 / c^2)^(-(d + 1) / 2) for |beta| &lt; c.
 *
 * <p>The declared pair uses half of the distance to the pole, beta = c / 2, where 2 / beta^2 times
 * the logarithm of that function is 4 ln(4/3) times the variance.
 *
 * <p>Overflow is bounded by Chernoff's bound with that function, and the union over coordinates and
 * signs.
 *
 * <p>Remaining weakness: the noise is computed in floating point and rounded to the grid, so the
 * probability of a point of the grid is correct only up to rounding; far in the tails some points
 * may never be drawn. The noise is rounded before it is added to the gradient, which prevents the
 * attack of [Mir12] on low-order bits. Rounding adds at most a quarter of a squared grid step to
 * the variance per coordinate, and leaves the noise symmetric.
 *
 * <p>O(d) per release.
 */
public final class L2LaplaceRandomiser extends AdditiveRandomiser {
  /** -ln(1 - k^2) / k^2 at k = 1/2. */
  private static final double GROWTH = 4 * Math.log(4.0 / 3);

  private final double epsilon;
  private final double scale;
  private final NoiseSource source;
  private final double[] noise;

  /**
   * @param gradientBound G, L2; positive
   * @param dimension d, at least 1
   * @param gridExponent the model's e
   * @param epsilon in nats; positive
   * @throws IllegalArgumentException if an argument is out of range, or the noise doesn't fit the
   *     grid
   */
  public L2LaplaceRandomiser(
      double gradientBound, int dimension, int gridExponent, double epsilon) {
    this(new GradientGrid(gradientBound, dimension, gridExponent), epsilon, new SecureBits());
  }

  L2LaplaceRandomiser(GradientGrid grid, double epsilon, SecureBits bits) {
    super(grid, ClippingNorm.L2, bits, new L2LaplaceMechanism(epsilon));
    this.epsilon = epsilon;
    // Rounded towards more noise.
    scale = Math.nextUp(2 * grid.gradientBound() / epsilon);
    int d = grid.dimension();
    grid.requireRoom("epsilon " + epsilon, scale, reach -> logOverflow(d, reach));
    source = new NoiseSource(bits);
    noise = new double[d];
  }

  /**
   * ln of the minimum over x of 2d exp(-x r) (1 - x^2)^(-(d + 1) / 2), attained where 1 - x^2 = (d
   * + 1) x / r; r is the reach in units of 1/c, x the Chernoff parameter in units of c.
   */
  static double logOverflow(int dimension, double reach) {
    double r = Math.min(reach, 0x1p1000);
    double n = dimension + 1.0;
    double x = 2 * r / (n + Math.hypot(n, 2 * r));
    return Math.log(2.0 * dimension) - x * r - n / 2 * Math.log(n * x / r);
  }

  /** The epsilon that one release spends, in nats. */
  public double epsilon() {
    return epsilon;
  }

  @Override
  L2LaplaceRandomiser on(GradientGrid other, SecureBits bits) {
    return new L2LaplaceRandomiser(other, epsilon, bits);
  }

  @Override
  public double directionalVariance() {
    return (dimension() + 1.0) * scale * scale;
  }

  @Override
  public SubExponential subExponential() {
    return SubExponential.newBuilder()
        .setVariance(directionalVariance() * GROWTH)
        .setBetaMax(1 / (2 * scale))
        .build();
  }

  @Override
  void addNoise(int[] steps) {
    double norm = drawDirection();
    double factor = source.gamma(noise.length) * grid.inSteps(scale) / norm;
    for (int i = 0; i < steps.length; i++) {
      steps[i] = GradientGrid.add(steps[i], noise[i] * factor);
    }
    GradientGrid.erase(noise);
    source.forget();
  }

  /** Fills {@code noise} with independent standard normals; returns their norm, which is not 0. */
  private double drawDirection() {
    double squares;
    do {
      squares = 0;
      for (int i = 0; i < noise.length; i++) {
        double z = source.gaussian();
        noise[i] = z;
        squares += z * z;
      }
      // The zero vector has no direction; redrawing does not depend on the gradient.
    } while (squares == 0);
    return Math.sqrt(squares);
  }
}
