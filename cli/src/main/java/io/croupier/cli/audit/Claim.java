package io.croupier.cli.audit;

import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.ReleaseCost;

/**
 * What a mechanism declares.
 *
 * @param guarantee privacy definition of the level, under replace-one
 * @param level epsilon, in nats, or mu
 * @param pair of gradients on which the claim is tested
 * @param gridExponent e: releases are multiples of 2^e
 * @param variance of the noise before it is rounded to the grid, the largest along any direction
 */
record Claim(
    PrivacyDefinition guarantee,
    double level,
    NeighbouringPair pair,
    int gridExponent,
    double variance) {

  /** The claim that a randomiser's cost is its privacy level, for the farthest pair. */
  static Claim of(GridRandomiser randomiser) {
    return of(randomiser, NeighbouringPair.farthest(randomiser));
  }

  /**
   * The claim of a randomiser that clips coordinates separately, for the one with the least tau.
   */
  static Claim ofLeastTau(CoordinateLaplaceRandomiser randomiser) {
    NeighbouringPair pair = NeighbouringPair.inLeastTau(randomiser);
    return new Claim(
        PrivacyDefinition.EPSILON,
        randomiser.tau(pair.noisiest()),
        pair,
        randomiser.gridExponent(),
        randomiser.directionalVariance());
  }

  /** The claim that a randomiser's cost is its privacy level, for a given pair. */
  static Claim of(GridRandomiser randomiser, NeighbouringPair pair) {
    ReleaseCost cost = randomiser.cost();
    boolean pure = cost.mu().signum() == 0;
    return new Claim(
        pure ? PrivacyDefinition.EPSILON : PrivacyDefinition.MU,
        (pure ? cost.epsilon() : cost.mu()).doubleValue(),
        pair,
        randomiser.gridExponent(),
        randomiser.directionalVariance());
  }

  /** The variance in squared grid steps. */
  double varianceInSteps() {
    return Math.scalb(variance, -2 * gridExponent);
  }
}
