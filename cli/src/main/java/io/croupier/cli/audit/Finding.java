package io.croupier.cli.audit;

/**
 * The result of an audit.
 *
 * @param claim that was tested
 * @param event that best distinguishes the two gradients in the choosing half
 * @param leastLevel lower bound on the true level, from that event in the judging half
 * @param leastLevelAt95 the lower bound at 95 % confidence; too high one time in 20
 * @param seen occurrences of the event in the judging half for the gradient that it indicates
 * @param seenOfOther occurrences for the other gradient
 * @param trials releases of each gradient in the judging half
 * @param noise check of all releases
 * @param falseAlarm bound on the probability of refuting a true claim; for the variance it relies
 *     on the normal approximation
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

  /** Whether the lower bound exceeds the claimed level. */
  boolean refutesLevel() {
    return leastLevel > claim.level();
  }

  /** Whether the variance of the noise differs from the claimed one. */
  boolean refutesVariance() {
    return !noise.agrees(falseAlarm / 4);
  }

  /** Whether the releases omit steps of the grid. */
  boolean refutesGrid() {
    return !noise.fillsTheGrid(falseAlarm / 4);
  }

  /** Whether anything is refuted. */
  boolean refuted() {
    return refutesLevel() || refutesVariance() || refutesGrid();
  }
}
