package io.croupier.cli.audit;

/**
 * What an audit found.
 *
 * @param claim that was to be refuted
 * @param event that tells the two gradients apart best, by the choosing half
 * @param leastLevel lower bound on the true level, from that event in the judging half
 * @param leastLevelAt95 the same, too high one time in 20
 * @param seen how often the event occurred in the judging half, of the gradient that it speaks for
 * @param seenOfOther how often, of the other one
 * @param trials releases of either gradient in the judging half
 * @param noise of all releases
 * @param falseAlarm bound on the probability of refuting a true claim, by the normal law for the
 *     variance
 */
record Finding(
    Claim claim,
    Event event,
    double leastLevel,
    double leastLevelAt95,
    int seen,
    int seenOfOther,
    int trials,
    NoiseCheck noise,
    double falseAlarm) {

  /** Whether the event is more telling than the claimed level allows. */
  boolean refutesLevel() {
    return leastLevel > claim.level();
  }

  /** Whether the noise has another variance than claimed. */
  boolean refutesVariance() {
    return !noise.agrees(falseAlarm / 4);
  }

  /** Whether the releases leave out steps of the grid. */
  boolean refutesGrid() {
    return !noise.fillsTheGrid(falseAlarm / 4);
  }

  /** Whether anything is refuted. */
  boolean refuted() {
    return refutesLevel() || refutesVariance() || refutesGrid();
  }
}
