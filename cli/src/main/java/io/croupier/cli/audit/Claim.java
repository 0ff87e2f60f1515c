package io.croupier.cli.audit;

import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.Cost;
import io.croupier.client.randomiser.Randomiser;

/**
 * What a mechanism says of itself.
 *
 * @param guarantee of which it promises a level, under replace-one
 * @param level epsilon, in nats, or mu
 * @param pair of gradients to which the promise is held
 * @param gridExponent e: releases are multiples of 2^e
 * @param variance of the noise, the largest along any one direction, before it is rounded to the
 *     grid
 */
record Claim(
    PrivacyDefinition guarantee,
    double level,
    NeighbouringPair pair,
    int gridExponent,
    double variance) {

  /** A randomiser by its own word: its cost is its promise. */
  static Claim of(Randomiser randomiser) {
    return of(randomiser, NeighbouringPair.farthest(randomiser));
  }

  /** What a randomiser that clips every coordinate by itself promises for that of the least tau. */
  static Claim ofLeastTau(CoordinateLaplaceRandomiser randomiser) {
    NeighbouringPair pair = NeighbouringPair.inLeastTau(randomiser);
    return new Claim(
        PrivacyDefinition.EPSILON,
        randomiser.tau(pair.noisiest()),
        pair,
        randomiser.gridExponent(),
        randomiser.directionalVariance());
  }

  /** The same, held to another pair. */
  static Claim of(Randomiser randomiser, NeighbouringPair pair) {
    Cost cost = randomiser.cost();
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
