package io.croupier.cli.audit;

/**
 * How often an event was seen that is more frequent for one of two inputs.
 *
 * @param trials releases of each input
 * @param seen occurrences for the input that the event indicates
 * @param seenOfOther occurrences for the other input
 */
record EventCount(PrivacyDefinition guarantee, int trials, int seen, int seenOfOther) {

  /** A lower bound on the level, which is too high with a probability of at most {@code alarm}. */
  double leastLevel(double alarm) {
    return guarantee.leastLevel(
        ClopperPearson.lower(seen, trials, alarm / 2),
        ClopperPearson.upper(seenOfOther, trials, alarm / 2));
  }
}
