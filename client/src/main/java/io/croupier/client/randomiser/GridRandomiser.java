package io.croupier.client.randomiser;

import io.croupier.noise.SecureBits;

/**
 * What all noise on a grid has in common: clip, renew the generator's key, then add noise, one
 * thread at a time. The rest is the noise's own.
 */
abstract sealed class GridRandomiser implements Randomiser
    permits CoordinateLaplaceRandomiser, GaussianRandomiser, L2LaplaceRandomiser, OwnRandomiser {
  final GradientGrid grid;
  private final ClippingNorm clip;
  private final SecureBits bits;
  private final Object lock = new Object();

  /**
   * @param bits all the randomness of the noise
   */
  GridRandomiser(GradientGrid grid, ClippingNorm clip, SecureBits bits) {
    this.grid = grid;
    this.clip = clip;
    this.bits = bits;
  }

  @Override
  public final int dimension() {
    return grid.dimension();
  }

  @Override
  public final double gradientBound() {
    return grid.gradientBound();
  }

  @Override
  public final int gridExponent() {
    return grid.gridExponent();
  }

  @Override
  public final int[] randomise(double[] gradient) {
    int[] steps = clip == ClippingNorm.L2 ? grid.clip(gradient) : grid.clipCoordinates(gradient);
    synchronized (lock) {
      // A copy of this process draws other noise.
      bits.renew();
      addNoise(steps);
    }
    return steps;
  }

  /**
   * Adds new noise, and saturates. Never called by two threads at a time. No noise that was drawn
   * may be left for the next release.
   *
   * @param steps the clipped gradient in grid steps, shape [d], changed in place
   */
  abstract void addNoise(int[] steps);
}
