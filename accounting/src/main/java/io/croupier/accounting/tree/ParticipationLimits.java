package io.croupier.accounting.tree;

/**
 * How often one user may take part, and how close together: assumptions ii and iii of [KMSTTX21,
 * D.2].
 *
 * @param maxParticipations E, at least 1
 * @param minSeparation xi, the fewest steps strictly between two participations, at least 0
 */
public record ParticipationLimits(long maxParticipations, long minSeparation) {
  /** Every user takes part in one step. */
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
   * Steps from one participation to the next, at least; more than all the steps is as good as so.
   */
  long gap(long steps) {
    return Math.min(minSeparation, steps) + 1;
  }

  /** The most participations for which there is room in so many steps. */
  long most(long steps) {
    return Math.min(maxParticipations, Segments.ceilDiv(steps, gap(steps)));
  }
}
