package io.croupier.client.randomiser;

import io.croupier.schemas.Gaussian;
import io.croupier.schemas.view.GradientReportView;
import java.util.function.LongSupplier;

/**
 * Gaussian noise: N(0, s^2 I), s = 2G / mu.
 *
 * <p>Guarantee: mu-GDP under replace-one [DRS22, Theorem 1]: telling two gradients apart is as hard
 * as telling N(0, 1) from N(mu, 1).
 *
 * <p>E||z||^2 = d s^2; variance along any direction s^2.
 *
 * <p>Overflow is bounded by exp(-x^2 / 2) for both tails of a coordinate beyond x s, and the union
 * over coordinates. The rest, the weakness included, is as {@link Randomiser} says.
 *
 * <p>O(d) a release.
 */
public final class GaussianRandomiser implements Randomiser {
  private final GradientGrid grid;
  private final double mu;
  private final double deviation;
  private final NoiseSource source;
  private final Object lock = new Object();

  /**
   * @param gradientBound G, L2; positive
   * @param dimension d, at least 1
   * @param gridExponent e, of the model
   * @param mu positive
   * @throws IllegalArgumentException if an argument is out of range, or the noise doesn't fit the
   *     grid
   */
  public GaussianRandomiser(double gradientBound, int dimension, int gridExponent, double mu) {
    this(new GradientGrid(gradientBound, dimension, gridExponent), mu, new SecureBits());
  }

  GaussianRandomiser(GradientGrid grid, double mu, LongSupplier bits) {
    if (!(mu > 0 && mu <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException("mu is " + mu + "; it must be positive and finite");
    }
    this.grid = grid;
    this.mu = mu;
    // Rounded towards more noise.
    deviation = Math.nextUp(2 * grid.gradientBound() / mu);
    int d = grid.dimension();
    grid.requireRoom("mu " + mu, deviation, reach -> Math.log(d) - reach * reach / 2);
    source = new NoiseSource(bits);
  }

  /** The mu that a release spends. */
  public double mu() {
    return mu;
  }

  @Override
  public int dimension() {
    return grid.dimension();
  }

  @Override
  public double gradientBound() {
    return grid.gradientBound();
  }

  @Override
  public int gridExponent() {
    return grid.gridExponent();
  }

  @Override
  public double directionalVariance() {
    return deviation * deviation;
  }

  @Override
  public void declareIn(GradientReportView.Builder report) {
    report.setGaussian(Gaussian.newBuilder().setMu(mu));
  }

  @Override
  public int[] randomise(double[] gradient) {
    int[] released = grid.clip(gradient);
    double deviationInSteps = grid.inSteps(deviation);
    synchronized (lock) {
      for (int i = 0; i < released.length; i++) {
        released[i] = GradientGrid.add(released[i], deviationInSteps * source.gaussian());
      }
    }
    return released;
  }
}
