package io.croupier.accounting.privunit;

/** A law of T on (-1, 1), as weights on nodes: integrals of smooth functions are sums. */
final class HeightLaw {
  private final double[] heights;
  private final double[] above;
  private final double[] below;

  /**
   * The arrays belong to the law from then on.
   *
   * @param heights between 0 and 1, increasing
   * @param above weights of the heights
   * @param below weights of their opposites
   */
  HeightLaw(double[] heights, double[] above, double[] below) {
    this.heights = heights;
    this.above = above;
    this.below = below;
  }

  /** Between 0 and 1, increasing; not to be changed. */
  double[] heights() {
    return heights;
  }

  /** Weights of the heights; not to be changed. */
  double[] above() {
    return above;
  }

  /** Weights of their opposites; not to be changed. */
  double[] below() {
    return below;
  }

  /** ln E exp(-b T), for b >= 0. */
  double logMean(double b) {
    // In units of exp(b), so that nothing overflows.
    double sum = 0;
    for (int i = 0; i < heights.length; i++) {
      sum += above[i] * StrictMath.exp(-b * (1 + heights[i]));
      sum += below[i] * StrictMath.exp(-b * (1 - heights[i]));
    }
    return b + StrictMath.log(sum);
  }
}
