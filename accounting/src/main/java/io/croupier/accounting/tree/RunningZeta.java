package io.croupier.accounting.tree;

/**
 * What one user has been charged for one tree so far, when contributions come one by one: keyed
 * state, a Flink POJO.
 *
 * <p>Every node above a contribution is charged at once, though it is released only when it is
 * complete: the charge is the user's zeta in the completed tree, at least that of the released one,
 * and never falls short in between. By the squares: the c-th contribution below a node adds 2c - 1.
 *
 * <p>Size: 16 bytes and 4 for each level, of which a tree of n steps has ceil(lg n) + 1; 100 bytes
 * for a million steps. It dies with its tree, once the zeta has been carried to the user's account.
 *
 * <p>Invariants: (1) all is 0 while nothing was charged; (2) {@link #counts} holds how many
 * contributions are below the node of each height, from the leaves up, that is above the last
 * contribution: what is below other nodes matters no more, since later leaves are not; (3) {@link
 * #zeta} is at most 2^61.
 */
public final class RunningZeta {
  /** The leaf of the last contribution, plus 1; 0 before the first. */
  public long nextLeaf;

  /** Contributions below each node above the last one, by height; one entry for each level. */
  public int[] counts = {};

  /** The squared sensitivity that was charged. */
  public long zeta;

  /** Creates the state of no tree: for the serialiser. */
  public RunningZeta() {}

  /**
   * Nothing charged for a tree of so many steps.
   *
   * @param steps at most, from 1 to {@link Schedule#MAX_STEPS}
   * @throws IllegalArgumentException if it is out of range
   */
  public static RunningZeta ofTree(long steps) {
    RunningZeta nothing = new RunningZeta();
    nothing.counts = new int[Segments.ceilLog(Schedule.checkedSteps(steps)) + 1];
    return nothing;
  }

  /**
   * The zeta if a contribution were charged, which changes nothing. O(levels).
   *
   * @param leaf counted from 0, after those charged before
   * @throws IllegalArgumentException if it is not, or is beyond the tree
   * @throws IllegalStateException if this is the state of no tree: nothing costs 0
   */
  public long after(long leaf) {
    check(leaf);
    long after = zeta;
    for (int height = 0; height < counts.length; height++) {
      after += 2L * countBefore(leaf, height) + 1;
    }
    return after;
  }

  /**
   * Charges a contribution. O(levels), allocates nothing.
   *
   * @param leaf as for {@link #after}
   * @return the zeta with it
   * @throws IllegalArgumentException as {@link #after}; the state is unchanged
   */
  public long charge(long leaf) {
    zeta = after(leaf);
    for (int height = 0; height < counts.length; height++) {
      counts[height] = countBefore(leaf, height) + 1;
    }
    nextLeaf = leaf + 1;
    return zeta;
  }

  /** The contributions so far below the leaf's node of that height. */
  private int countBefore(long leaf, int height) {
    return (nextLeaf - 1) >> height == leaf >> height ? counts[height] : 0;
  }

  private void check(long leaf) {
    if (counts.length == 0) {
      throw new IllegalStateException("counts is empty; it must have an entry for each level");
    }
    if (leaf < nextLeaf || leaf >> (counts.length - 1) != 0) {
      throw new IllegalArgumentException(
          String.format(
              "leaf is %d; it must be between %d and %d",
              leaf, nextLeaf, (1L << (counts.length - 1)) - 1));
    }
  }
}
