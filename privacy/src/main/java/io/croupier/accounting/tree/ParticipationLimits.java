package io.croupier.accounting.tree;

/**
 * Limits on the number of one user's participations, and on the distance between them: assumptions
 * ii and iii of [KMSTTX21, D.2].
 *
 * @param maxParticipations E, at least 1
 * @param minSeparation xi, least number of steps strictly between two participations, at least 0
 */
public record ParticipationLimits(long maxParticipations, long minSeparation) {
  /** Every user participates in one step. */
  public static final ParticipationLimits ONCE = new ParticipationLimits(1, 0);

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException naming the limit that is too small
   */
  public ParticipationLimits {
    if (maxParticipations < 1) {
      throw new IllegalArgumentException(
          "maxParticipations is " + maxParticipations + "; it must be at least 1");
    }
    if (minSeparation < 0) {
      throw new IllegalArgumentException(
          "minSeparation is " + minSeparation + "; it must be at least 0");
    }
  }

  /**
   * Least number of steps from one participation to the next, capped at a value beyond the last
   * step.
   */
  long gap(long steps) {
    return Math.min(minSeparation, steps) + 1;
  }

  /** Largest number of participations within the given number of steps. */
  long most(long steps) {
    return Math.min(maxParticipations, Segments.ceilDiv(steps, gap(steps)));
  }
}
