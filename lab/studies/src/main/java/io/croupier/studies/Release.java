package io.croupier.studies;

/** What a person releases instead of a gradient. Not safe for use by several threads. */
@FunctionalInterface
interface Release {

  /**
   * Draws a release.
   *
   * @param gradient clipped, shape [d], left as it is
   * @param into shape [d], overwritten
   */
  void draw(double[] gradient, SeededRandom random, double[] into);

  /** The gradient plus the noise of a level for gradients of norm at most 1, times the bound. */
  static Release of(Noise noise, double level, double gradientBound) {
    return (gradient, random, into) -> {
      noise.draw(level, random, into);
      for (int j = 0; j < into.length; j++) {
        into[j] = gradient[j] + gradientBound * into[j];
      }
    };
  }
}
