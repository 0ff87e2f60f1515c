package io.croupier.cli.audit;

import io.croupier.client.randomiser.Randomiser;

/**
 * What a mechanism says of itself.
 *
 * @param guarantee of which it promises a level, under replace-one
 * @param level epsilon, in nats, or mu
 * @param dimension d
 * @param gradientBound G
 * @param gridExponent e: releases are multiples of 2^e
 * @param variance of the noise along any one direction, before it is rounded to the grid
 */
record Claim(
    Guarantee guarantee,
    double level,
    int dimension,
    double gradientBound,
    int gridExponent,
    double variance) {

  static Claim of(Guarantee guarantee, double level, Randomiser randomiser) {
    return new Claim(
        guarantee,
        level,
        randomiser.dimension(),
        randomiser.gradientBound(),
        randomiser.gridExponent(),
        randomiser.directionalVariance());
  }

  /** Along the first axis, as long as a gradient may be: g for sign 1, -g for -1. */
  double[] gradient(int sign) {
    double[] gradient = new double[dimension];
    gradient[0] = sign * gradientBound;
    return gradient;
  }

  /** The length of that gradient in grid steps, once it is rounded towards zero. */
  double lengthInSteps() {
    return Math.floor(Math.scalb(gradientBound, -gridExponent));
  }

  /** The variance in squared grid steps. */
  double varianceInSteps() {
    return Math.scalb(variance, -2 * gridExponent);
  }
}
