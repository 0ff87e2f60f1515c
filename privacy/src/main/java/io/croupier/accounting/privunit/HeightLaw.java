package io.croupier.accounting.privunit;

/**
 * A law of T on (-1, 1), as weights on nodes: integrals of smooth functions are sums.
 *
 * @param heights between 0 and 1, increasing
 * @param above weights of the heights
 * @param below weights of their opposites
 */
@SuppressWarnings("ArrayRecordComponent") // no two are compared
record HeightLaw(double[] heights, double[] above, double[] below) {
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
