package io.croupier.cli.audit;

/**
 * An event that may tell g from h: a statistic beyond a threshold.
 *
 * @param statistic whose value is looked at
 * @param sign 1 for values at or above the threshold, which speak for g; -1 for values at or below
 *     it, which speak for h
 * @param threshold in grid steps
 */
record Event(Statistic statistic, int sign, double threshold) {

  boolean holds(double value) {
    return sign > 0 ? value >= threshold : value <= threshold;
  }

  /**
   * The least level that allows this event the counts that it has in a half.
   *
   * @param falseAlarm bound on the probability that the true level is less
   */
  double leastLevel(PrivacyDefinition guarantee, HalfSample half, double falseAlarm) {
    double p = ClopperPearson.lower(half.count(this, sign), half.size(), falseAlarm / 2);
    double q = ClopperPearson.upper(half.count(this, -sign), half.size(), falseAlarm / 2);
    return guarantee.leastLevel(p, q);
  }
}
