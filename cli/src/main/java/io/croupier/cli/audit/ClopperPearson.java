package io.croupier.cli.audit;

import org.apache.commons.math3.distribution.BetaDistribution;

/**
 * Bounds on a probability from how often an event was seen [CP34]. Exact for every probability and
 * every number of trials: they err on the safe side.
 */
final class ClopperPearson {
  /** Absolute; far below the least probability, about 1 / n, that can matter. */
  private static final double ACCURACY = 1e-14;

  private ClopperPearson() {}

  /** Above the true probability with a probability of at most {@code falseAlarm}. */
  static double lower(int seen, int trials, double falseAlarm) {
    return seen == 0
        ? 0
        : new BetaDistribution(null, seen, trials - seen + 1.0, ACCURACY)
            .inverseCumulativeProbability(falseAlarm);
  }

  /** Below the true probability with a probability of at most {@code falseAlarm}. */
  static double upper(int seen, int trials, double falseAlarm) {
    return seen == trials
        ? 1
        : new BetaDistribution(null, seen + 1.0, trials - seen, ACCURACY)
            .inverseCumulativeProbability(1 - falseAlarm);
  }
}
