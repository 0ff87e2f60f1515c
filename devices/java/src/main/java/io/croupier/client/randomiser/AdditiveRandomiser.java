package io.croupier.client.randomiser;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.noise.SecureBits;

/**
 * The common steps of all noise on a grid: clip, renew the generator's key, then add noise, one
 * thread at a time. Subclasses draw the noise; only this package can have them.
 */
abstract non-sealed class AdditiveRandomiser implements GridRandomiser {
  final GradientGrid grid;
  private final ClippingNorm clip;
  private final SecureBits bits;
  private final Mechanism mechanism;
  private final ReleaseCost cost;

  /** The newest of those that {@link #fitted} made, since a round has many reports. */
  private volatile AdditiveRandomiser lastFitted;

  /**
   * @param bits source of all randomness of the noise; randomisers that share it take turns
   * @param mechanism whose noise the subclass draws
   */
  AdditiveRandomiser(GradientGrid grid, ClippingNorm clip, SecureBits bits, Mechanism mechanism) {
    this(grid, clip, bits, mechanism, ReleaseCost.of(mechanism));
  }

  /** The same at another cost than the declared one. */
  AdditiveRandomiser(
      GradientGrid grid,
      ClippingNorm clip,
      SecureBits bits,
      Mechanism mechanism,
      ReleaseCost cost) {
    this.grid = grid;
    this.mechanism = mechanism;
    this.cost = cost;
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
  public final GridRandomiser fitted(double gradientBound, int gridExponent) {
    if (isOn(gradientBound, gridExponent)) {
      return this;
    }
    AdditiveRandomiser last = lastFitted;
    if (last == null || !last.isOn(gradientBound, gridExponent)) {
      last = on(GradientGrid.ofBound(gradientBound, dimension(), gridExponent), bits);
      lastFitted = last;
    }
    return last;
  }

  private boolean isOn(double gradientBound, int gridExponent) {
    return gradientBound == gradientBound() && gridExponent == gridExponent();
  }

  /**
   * The same noise, in proportion to the bound of another grid.
   *
   * @throws IllegalArgumentException as {@link #fitted}
   */
  abstract AdditiveRandomiser on(GradientGrid other, SecureBits bits);

  @Override
  public final Mechanism mechanism() {
    return mechanism;
  }

  @Override
  public final ReleaseCost cost() {
    return cost;
  }

  @Override
  public final int[] randomise(double[] gradient) {
    int[] steps = clip == ClippingNorm.L2 ? grid.clip(gradient) : grid.clipCoordinates(gradient);
    synchronized (bits) {
      // So a copy of this process draws different noise.
      bits.renew();
      addNoise(steps);
    }
    return steps;
  }

  /**
   * Adds new noise, and saturates. Never called by two threads at a time. Noise from one release
   * must not be reused in the next.
   *
   * @param steps the clipped gradient in grid steps, shape [d], changed in place
   */
  abstract void addNoise(int[] steps);
}
