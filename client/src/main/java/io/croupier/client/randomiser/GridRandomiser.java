package io.croupier.client.randomiser;

/**
 * What all noise on a grid has in common: clip, then add it, one thread at a time. The rest is the
 * noise's own.
 */
abstract sealed class GridRandomiser implements Randomiser
    permits CoordinateLaplaceRandomiser, GaussianRandomiser, L2LaplaceRandomiser, OwnRandomiser {
  final GradientGrid grid;
  private final Clip clip;
  private final Object lock = new Object();

  GridRandomiser(GradientGrid grid, Clip clip) {
    this.grid = grid;
    this.clip = clip;
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
    int[] steps = clip == Clip.L2 ? grid.clip(gradient) : grid.clipCoordinates(gradient);
    synchronized (lock) {
      addNoise(steps);
    }
    return steps;
  }

  /**
   * Adds new noise, and saturates. Never called by two threads at a time.
   *
   * @param steps the clipped gradient in grid steps, shape [d], changed in place
   */
  abstract void addNoise(int[] steps);
}
