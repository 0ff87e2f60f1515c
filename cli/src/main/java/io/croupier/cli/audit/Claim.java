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
record Claim(Guarantee guarantee, double level, Pair pair, int gridExponent, double variance) {

  /** A randomiser by its own word: its cost is its promise. */
  static Claim of(Randomiser randomiser) {
    return of(randomiser, Pair.farthest(randomiser));
  }

  /** What a randomiser that clips every coordinate by itself promises for that of the least tau. */
  static Claim ofLeastTau(CoordinateLaplaceRandomiser randomiser) {
    Pair pair = Pair.inLeastTau(randomiser);
    return new Claim(
        Guarantee.EPSILON,
        randomiser.tau(pair.noisiest()),
        pair,
        randomiser.gridExponent(),
        randomiser.directionalVariance());
  }

  /** The same, held to another pair. */
  static Claim of(Randomiser randomiser, Pair pair) {
    Cost cost = randomiser.cost();
    boolean pure = cost.mu().signum() == 0;
    return new Claim(
        pure ? Guarantee.EPSILON : Guarantee.MU,
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
