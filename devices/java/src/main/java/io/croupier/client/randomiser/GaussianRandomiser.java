package io.croupier.client.randomiser;

import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.noise.ExactNoise;
import io.croupier.noise.SecureBits;
import io.croupier.schemas.SubExponential;

/**
 * Discrete Gaussian noise on the grid [CKS20]: in every coordinate the noise is z steps with
 * probability proportional to exp(-z^2 / (2 s^2)), s = 2G / mu in grid steps, rounded up to a whole
 * one. The law is exact; d is the dimension.
 *
 * <p>Guarantee, under replace-one: mu^2 / 2-zCDP, exactly [CKS20].
 *
 * <p>It is mu-GDP [DRS22] up to t = min(d / 24, sqrt(d) / 16) / s^2: every test of level a between
 * two gradients has a type II error of at least that of the best test of level a + t between N(0,
 * 1) and N(mu, 1), minus t. For every epsilon, delta is at most that of mu-GDP plus (1 +
 * exp(epsilon)) t. On the default grid, for mu = 1 and d = 1000, t is below 1.2e-10; n releases add
 * up to n t. A difference of the order of 1 / s^2 occurs already in one dimension. The zCDP
 * guarantee needs no such term.
 *
 * <p>Proof: normal noise of standard deviation s, rounded to the grid, is mu-GDP, as
 * post-processing; t bounds the total variation distance between the two noises. With f the normal
 * density, the rounded noise equals z with probability r(z) f(z), where r(z) is the integral over
 * |u| &lt; 1/2 of exp(-(z u + u^2 / 2) / s^2). The discrete noise equals z with probability p(z) =
 * f(z) / sum f &lt;= f(z), as sum f > 1 (Poisson). By cosh >= 1, r >= 1 - 1 / (24 s^2); so the
 * distance is at most d / (24 s^2). By cosh x >= 1 + x^2 / 2, r >= 1 + y with y = ((1 - 3 / (40
 * s^2)) z^2 / s^2 - 1) / (24 s^2). The moments of z^2 / s^2 are 1 and 3 up to 1e-5, s being at
 * least 1, so that the divergence E ln(p / (r f)) is at most E(y^2 - y) &lt; 1 / (128 s^4) per
 * coordinate; Pinsker's inequality yields the second bound.
 *
 * <p>Variance along any direction: s^2 (1 - 8 pi^2 s^2 / (exp(2 pi^2 s^2) + 2)), up to 1e-30; 2e-7
 * below s^2 for s = 1, and the same double from s = 2 on. E exp(b z) &lt;= exp(b^2 s^2 / 2) for all
 * b [CKS20].
 *
 * <p>Overflow is bounded by exp(-x^2 / (2 s^2)) for both tails of a coordinate beyond x [CKS20],
 * and the union over coordinates.
 *
 * <p>O(d) per release.
 */
public final class GaussianRandomiser extends AdditiveRandomiser {
  private final double mu;
  private final int deviation;
  private final ExactNoise noise;

  /**
   * @param gradientBound G, L2; positive
   * @param dimension d, at least 1
   * @param gridExponent the model's e
   * @param mu positive
   * @throws IllegalArgumentException if an argument is out of range, or the noise doesn't fit the
   *     grid
   */
  public GaussianRandomiser(double gradientBound, int dimension, int gridExponent, double mu) {
    this(new GradientGrid(gradientBound, dimension, gridExponent), mu, new SecureBits());
  }

  GaussianRandomiser(GradientGrid grid, double mu, SecureBits bits) {
    super(grid, ClippingNorm.L2, bits, new GaussianMechanism(mu));
    this.mu = mu;
    double logCoordinates = Math.log(grid.dimension());
    grid.requireRoom(
        "mu " + mu,
        (exponent, room) -> {
          double reach = room / grid.noiseSteps(mu, exponent);
          return logCoordinates - reach * reach / 2;
        });
    deviation = (int) grid.noiseSteps(mu, grid.gridExponent());
    noise = new ExactNoise(bits);
  }

  /** The mu that one release spends. */
  public double mu() {
    return mu;
  }

  @Override
  GaussianRandomiser on(GradientGrid other, SecureBits bits) {
    return new GaussianRandomiser(other, mu, bits);
  }

  @Override
  public double directionalVariance() {
    double square = (double) deviation * deviation;
    double scaled = 2 * Math.PI * Math.PI * square;
    return grid.squareOfSteps(square * (1 - 4 * scaled / (Math.exp(scaled) + 2)));
  }

  @Override
  public SubExponential subExponential() {
    return SubExponential.newBuilder()
        .setVariance(grid.squareOfSteps((double) deviation * deviation))
        .setBetaMax(Double.POSITIVE_INFINITY)
        .build();
  }

  @Override
  void addNoise(int[] steps) {
    for (int i = 0; i < steps.length; i++) {
      steps[i] = GradientGrid.saturate(steps[i] + noise.gaussian(deviation));
    }
  }
}
