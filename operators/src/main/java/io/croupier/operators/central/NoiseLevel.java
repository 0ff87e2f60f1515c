package io.croupier.operators.central;

/**
 * How much noise, and on what grid the gradients are.
 *
 * @param clipNorm L, L2 norm of one contribution at most, as it is on the grid
 * @param noiseMultiplier sigma: deviation of the noise in clipping norms
 * @param gridExponent e: contributions are multiples of 2^e
 */
public record NoiseLevel(double clipNorm, double noiseMultiplier, int gridExponent) {
  /** What a model's spec may say. */
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
