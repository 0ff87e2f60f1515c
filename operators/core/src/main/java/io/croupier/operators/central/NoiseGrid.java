package io.croupier.operators.central;

/**
 * The grid of the noise, finer than the gradients' so that the discrete Gaussian law approximates
 * the continuous one. Stored states depend on it: the choice for a level must never change.
 *
 * @param gridExponent grid exponent of the gradients
 * @param shift the noise is in multiples of 2^(gridExponent - shift)
 * @param deviation deviation of one draw, in these steps, rounded up to a whole one
 */
record NoiseGrid(int gridExponent, int shift, int deviation) {
  /** The most halvings of a grid step; with more, the noise would be far below a step. */
  private static final int MOST_SHIFT = 62;

  /** The range of exponents from the smallest double to the largest. */
  private static final int EXPONENTS = 2100;

  /**
   * Returns the grid with the finest step for which the deviation is below 2^bits, or 2^bits
   * itself.
   *
   * @param slack increase of the clipping norm, in steps of the noise, for what rounding may add to
   *     a sensitivity
   * @throws IllegalArgumentException if the gradients' grid is too fine or too coarse for the level
   */
  static NoiseGrid of(NoiseLevel level, int bits, double slack) {
    int e = level.gridExponent();
    double clipSteps = Math.scalb(level.clipNorm(), -e);
    double steps = Math.nextUp(level.noiseMultiplier() * clipSteps);
    int shift = steps < Double.MAX_VALUE ? bits - 1 - Math.getExponent(steps) : -EXPONENTS;
    if (shift < 0 || shift > MOST_SHIFT) {
      int wanted = e - Math.min(shift, 0) - Math.max(shift - MOST_SHIFT, 0);
      throw new IllegalArgumentException(
          "clipNorm %s times noiseMultiplier %s is %.3g steps of noise at gridExponent %d; "
                  .formatted(level.clipNorm(), level.noiseMultiplier(), steps, e)
              + "gridExponent %d would do".formatted(wanted));
    }
    double deviation =
        level.noiseMultiplier() * (Math.nextUp(Math.scalb(clipSteps, shift)) + slack);
    double rounded = Math.ceil(Math.nextUp(deviation));
    if (!(rounded <= 1L << 30)) {
      throw new IllegalArgumentException(
          "noiseMultiplier is %s; with that many steps and coordinates it must be at most %.3g"
              .formatted(level.noiseMultiplier(), (double) (1 << 28) / slack));
    }
    return new NoiseGrid(e, shift, (int) rounded);
  }

  /**
   * Writes exact sums plus noise, in units of the gradients. Rounds once, as a function of each
   * total alone.
   *
   * @param sum exact sum, in grid steps
   * @param noise noise, in steps of the noise
   */
  void release(long[] sum, long[] noise, double[] into) {
    long mask = (1L << shift) - 1;
    double unit = Math.scalb(1.0, gridExponent);
    double part = Math.scalb(1.0, -shift);
    for (int i = 0; i < into.length; i++) {
      into[i] = (sum[i] + (noise[i] >> shift) + (noise[i] & mask) * part) * unit;
    }
  }
}
