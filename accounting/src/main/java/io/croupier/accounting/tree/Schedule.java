package io.croupier.accounting.tree;

/**
 * The steps of a release by tree aggregation, and who may take part in them when: everything that
 * its squared sensitivity depends on, if the order of the users is not known ({@link GivenOrder} if
 * it is).
 *
 * <p>Trees follow one after the other; the last has the steps that remain. The limits hold over the
 * whole release, across restarts. The zetas of the trees add up, and the noise of all is the same;
 * {@link TreeRelease} mixes schedules of different noise. Least squares release two trees: twice
 * the zeta.
 *
 * @param steps T, from 1 to {@link #MAX_STEPS}
 * @param limits on the participations of one user
 * @param restartEvery steps of each tree but the last; {@link #NEVER}: all steps are of one tree
 * @param completion which trees are completed
 */
public record Schedule(
    long steps, ParticipationLimits limits, long restartEvery, Completion completion) {
  /**
   * The most steps: one each second for 34 years. Up to it, no zeta exceeds 2 T^2 = 2^61, that of a
   * user who takes part in each step.
   */
  public static final long MAX_STEPS = 1L << 30;

  /** As {@link #restartEvery}: one tree. */
  public static final long NEVER = 0;

  /** The most participations for which {@link #zeta} has an answer. */
  public static final int MAX_EXACT_PARTICIPATIONS = 1 << 14;

  /** The most participations for which {@link #quickZeta} is exact. */
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

  /** How many trees there are. */
  public long trees() {
    return Segments.ceilDiv(steps, stepsOfTree());
  }

  /**
   * The largest squared sensitivity to any user within the limits, exactly: [KMSTTX21, eq. 17 and
   * Theorem D.3], extended to completed trees and to restarts. 0.15 seconds at most for 100,000
   * steps and 100 participations, two minutes for ten times as many of both.
   *
   * @throws IllegalArgumentException if there is room for more than {@link
   *     #MAX_EXACT_PARTICIPATIONS} participations; {@link #zetaBound} has no such limit
   */
  public long zeta() {
    long most = limits.most(steps);
    if (most > MAX_EXACT_PARTICIPATIONS) {
      throw new IllegalArgumentException(
          String.format(
              "maxParticipations is %d, %d of which have room in %d steps; an exact answer takes at"
                  + " most %d",
              limits.maxParticipations(), most, steps, MAX_EXACT_PARTICIPATIONS));
    }
    Segments segments = new Segments(limits.gap(steps), (int) most);
    Segment tree = segments.tree(stepsOfTree(), completion.completes(false));
    Segment last = segments.tree(stepsOfLastTree(), completion.completes(true));
    return Segments.oneAfterTheOther(tree, trees() - 1, last).largestValue();
  }

  /**
   * An upper bound of {@link #zeta}: [KMSTTX21, Algorithm 3 and Theorem D.2], each level by itself,
   * for the participations for which there is room. O(log steps).
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
   * {@link #zeta} where it takes some 5 milliseconds at most, with room for at most {@value
   * #MAX_QUICK_PARTICIPATIONS} participations, and {@link #zetaBound} beyond: up to a tenth more,
   * up to a third where trees restart. Never less for more steps, so that it may be told of a
   * release that goes on, each time anew.
   */
  public long quickZeta() {
    return limits.most(steps) <= MAX_QUICK_PARTICIPATIONS ? zeta() : zetaBound();
  }

  /** How many nodes of a height are released. */
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
