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

  /** The counts of this event in a half sample. */
  EventCount count(PrivacyDefinition guarantee, HalfSample half) {
    return new EventCount(guarantee, half.size(), half.count(this, sign), half.count(this, -sign));
  }
}
