package io.croupier.cli.audit;

/**
 * An event that may distinguish g from h: a statistic beyond a threshold.
 *
 * @param statistic whose value is compared
 * @param sign 1 for values at or above the threshold, which indicate g; -1 for values at or below
 *     it, which indicate h
 * @param threshold in grid steps
 */
record Event(Statistic statistic, int sign, double threshold) {

  boolean holds(double value) {
    return sign > 0 ? value >= threshold : value <= threshold;
  }

  /**
   * Lower confidence bound on the level, from the counts of this event in a half sample.
   *
   * @param falseAlarm bound on the probability that the true level is below the result
   */
  double leastLevel(PrivacyDefinition guarantee, HalfSample half, double falseAlarm) {
    double p = ClopperPearson.lower(half.count(this, sign), half.size(), falseAlarm / 2);
    double q = ClopperPearson.upper(half.count(this, -sign), half.size(), falseAlarm / 2);
    return guarantee.leastLevel(p, q);
  }
}
