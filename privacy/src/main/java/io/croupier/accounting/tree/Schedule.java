package io.croupier.accounting.tree;

/**
 * The steps of a release by tree aggregation, and the limits on participation: everything that
 * determines its squared sensitivity if the order of the users is unknown (see {@link GivenOrder}
 * for a known order).
 *
 * <p>Trees follow one after the other; the last has the remaining steps. The limits apply to the
 * whole release, across restarts. The zetas of the trees add up, and all have the same noise;
 * {@link TreeRelease} combines schedules of different noise. Least squares release two trees, with
 * twice the zeta.
 *
 * @param steps T, from 1 to {@link #MAX_STEPS}
 * @param limits on the participations of one user
 * @param restartEvery number of steps of each tree except the last; {@link #NEVER}: one tree
 *     contains all steps
 * @param completion which trees are completed
 */
public record Schedule(
    long steps, ParticipationLimits limits, long restartEvery, Completion completion) {
  /**
   * The most steps: one each second for 34 years. Up to it, no zeta exceeds 2 T^2 = 2^61, that of a
   * user who takes part in each step.
   */
  public static final long MAX_STEPS = 1L << 30;

  /** Value of {@link #restartEvery} for one tree. */
  public static final long NEVER = 0;

  /** Largest number of participations that {@link #zeta} supports. */
  public static final int MAX_EXACT_PARTICIPATIONS = 1 << 14;

  /** Largest number of participations for which {@link #quickZeta} is exact. */
  public static final int MAX_QUICK_PARTICIPATIONS = 64;

  /**
   * Checks the schedule.
   *
   * @throws IllegalArgumentException naming the field that is out of range
   */
  public Schedule {
    checkedSteps(steps);
    checkRestarts(restartEvery, completion);
  }

  /** One tree, not completed. */
  public static Schedule ofOneTree(long steps, ParticipationLimits limits) {
    return new Schedule(steps, limits, NEVER, Completion.NONE);
  }

  static long checkedSteps(long steps) {
    if (steps < 1 || steps > MAX_STEPS) {
      throw new IllegalArgumentException(
          "steps is " + steps + "; it must be between 1 and " + MAX_STEPS);
    }
    return steps;
  }

  static void checkRestarts(long restartEvery, Completion completion) {
    if (restartEvery < 0) {
      throw new IllegalArgumentException(
          "restartEvery is " + restartEvery + "; it must be at least 1, or 0 for never");
    }
    if (restartEvery == NEVER && completion == Completion.BEFORE_RESTART) {
      throw new IllegalArgumentException(
          "completion is BEFORE_RESTART, and restartEvery is 0: never; completion must be NONE or"
              + " EVERY_TREE");
    }
  }

  /** Number of trees. */
  public long trees() {
    return Segments.ceilDiv(steps, stepsOfTree());
  }

  /**
   * The largest squared sensitivity to any user within the limits, exactly: [KMSTTX21, eq. 17 and
   * Theorem D.3], extended to completed trees and to restarts. Takes at most 0.15 seconds for
   * 100,000 steps and 100 participations, and two minutes for ten times as many of both.
   *
   * @throws IllegalArgumentException if the schedule allows more than {@link
   *     #MAX_EXACT_PARTICIPATIONS} participations; {@link #zetaBound} has no such limit
   */
  public long zeta() {
    long most = limits.most(steps);
    if (most > MAX_EXACT_PARTICIPATIONS) {
      throw new IllegalArgumentException(
          String.format(
              "maxParticipations is %d, of which %d fit into %d steps; an exact answer"
                  + " supports at most %d",
              limits.maxParticipations(), most, steps, MAX_EXACT_PARTICIPATIONS));
    }
    Segments segments = new Segments(limits.gap(steps), (int) most);
    Segment tree = segments.tree(stepsOfTree(), completion.completes(false));
    Segment last = segments.tree(stepsOfLastTree(), completion.completes(true));
    return Segments.oneAfterTheOther(tree, trees() - 1, last).largestValue();
  }

  /**
   * An upper bound of {@link #zeta}: [KMSTTX21, Algorithm 3 and Theorem D.2], each level
   * separately, for the participations that fit into the steps. O(log steps).
   */
  public long zetaBound() {
    long most = limits.most(steps);
    long gap = limits.gap(steps);
    long bound = 0;
    for (int height = 0; 1L << height < 2 * stepsOfTree(); height++) {
      long nodes =
          (trees() - 1) * nodes(stepsOfTree(), height, completion.completes(false))
              + nodes(stepsOfLastTree(), height, completion.completes(true));
      long mostOfNode = Segments.ceilDiv(1L << height, gap);
      long full = Math.min(nodes, most / mostOfNode);
      long rest = full < nodes ? most - full * mostOfNode : 0;
      bound += full * mostOfNode * mostOfNode + rest * rest;
    }
    return bound;
  }

  /**
   * {@link #zeta} if at most {@value #MAX_QUICK_PARTICIPATIONS} participations fit, which takes at
   * most about 5 milliseconds; otherwise {@link #zetaBound}, which is up to a tenth larger, and up
   * to a third larger where trees restart. It never decreases with the number of steps, so it can
   * be reported again and again for a growing release.
   */
  public long quickZeta() {
    return limits.most(steps) <= MAX_QUICK_PARTICIPATIONS ? zeta() : zetaBound();
  }

  /** Number of released nodes of a height. */
  private static long nodes(long steps, int height, boolean completed) {
    if (!completed) {
      return steps >> height;
    }
    return height <= Segments.ceilLog(steps) ? Segments.ceilDiv(steps, 1L << height) : 0;
  }

  private long stepsOfTree() {
    return restartEvery == NEVER ? steps : Math.min(restartEvery, steps);
  }

  private long stepsOfLastTree() {
    return steps - (trees() - 1) * stepsOfTree();
  }
}
