package io.croupier.operators.central;

/**
 * The level of the noise, and the grid of the gradients.
 *
 * @param clipNorm L, the largest L2 norm of one contribution on the grid
 * @param noiseMultiplier sigma, the deviation of the noise in clipping norms
 * @param gridExponent e: contributions are multiples of 2^e
 */
public record NoiseLevel(double clipNorm, double noiseMultiplier, int gridExponent) {
  /** Bound on the grid exponent of a model's spec. */
  private static final int EXPONENT_LIMIT = 400;

  /**
   * Checks the level.
   *
   * @throws IllegalArgumentException naming the field that is out of range
   */
  public NoiseLevel {
    requirePositive("clipNorm", clipNorm);
    requirePositive("noiseMultiplier", noiseMultiplier);
    if (Math.abs((long) gridExponent) > EXPONENT_LIMIT) {
      throw new IllegalArgumentException(
          "gridExponent is %d; it must be between -%d and %d"
              .formatted(gridExponent, EXPONENT_LIMIT, EXPONENT_LIMIT));
    }
  }

  private static void requirePositive(String name, double value) {
    if (!(value > 0 && value <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          name + " is " + value + "; it must be positive and finite");
    }
  }
}
