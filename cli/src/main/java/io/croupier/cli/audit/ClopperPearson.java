package io.croupier.cli.audit;

import org.apache.commons.math3.distribution.BetaDistribution;

/**
 * Confidence bounds on a probability from the number of occurrences of an event [CP34]. Exact for
 * every probability and every number of trials: the error probability never exceeds the stated one.
 */
final class ClopperPearson {
  /** Absolute; far below the least relevant probability, about 1 / n. */
  private static final double ACCURACY = 1e-14;

  private ClopperPearson() {}

  /** Exceeds the true probability with a probability of at most {@code falseAlarm}. */
  static double lower(int seen, int trials, double falseAlarm) {
    return seen == 0
        ? 0
        : new BetaDistribution(null, seen, trials - seen + 1.0, ACCURACY)
            .inverseCumulativeProbability(falseAlarm);
  }

  /** Is below the true probability with a probability of at most {@code falseAlarm}. */
  static double upper(int seen, int trials, double falseAlarm) {
    return seen == trials
        ? 1
        : new BetaDistribution(null, seen + 1.0, trials - seen, ACCURACY)
            .inverseCumulativeProbability(1 - falseAlarm);
  }

  /** Checks a claimed probability; refutes a true one with twice the given probability at most. */
  static Finding.Check check(
      String quantity, double claimed, int seen, int trials, double falseAlarm) {
    boolean refuted =
        lower(seen, trials, falseAlarm) > claimed || upper(seen, trials, falseAlarm) < claimed;
    String measured = Finding.number(seen / (double) trials);
    return new Finding.Check(quantity, Finding.number(claimed), measured, refuted, "");
  }
}
