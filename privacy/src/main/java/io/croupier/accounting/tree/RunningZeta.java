package io.croupier.accounting.tree;

/**
 * The charge of one user for one tree so far, when contributions arrive one by one: keyed state, a
 * Flink POJO.
 *
 * <p>Every node above a contribution is charged immediately, although it is released only when it
 * is complete: the charge is the user's zeta in the completed tree, which at all times is at least
 * that of the released nodes. The c-th contribution below a node adds 2c - 1, the difference of
 * squares.
 *
 * <p>Size: 16 bytes and 4 for each level, of which a tree of n steps has ceil(lg n) + 1; 100 bytes
 * for a million steps. The state is deleted with its tree, after the zeta has been added to the
 * user's account.
 *
 * <p>Invariants: (1) all values are 0 until a contribution is charged; (2) {@link #counts}
 * contains, for each height from the leaves up, the number of contributions below the node above
 * the last contribution; other nodes are irrelevant, since no later leaf is below them; (3) {@link
 * #zeta} is at most 2^61.
 */
public final class RunningZeta {
  /** The leaf of the last contribution, plus 1; 0 before the first. */
  public long nextLeaf;

  /** Contributions below each node above the last one, by height; one entry for each level. */
  public int[] counts = {};

  /** The squared sensitivity charged so far. */
  public long zeta;

  /** Creates the state of no tree, for the serialiser. */
  public RunningZeta() {}

  /**
   * The state of a tree of the given number of steps, before any charge.
   *
   * @param steps largest number of steps, from 1 to {@link Schedule#MAX_STEPS}
   * @throws IllegalArgumentException if it is out of range
   */
  public static RunningZeta ofTree(long steps) {
    RunningZeta nothing = new RunningZeta();
    nothing.counts = new int[Segments.ceilLog(Schedule.checkedSteps(steps)) + 1];
    return nothing;
  }

  /**
   * The zeta including one more contribution, without charging it. O(levels).
   *
   * @param leaf index from 0, greater than those charged before
   * @throws IllegalArgumentException if it is not, or is beyond the tree
   * @throws IllegalStateException if this is the state of no tree, since no contribution is free
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
   * @return the zeta including it
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

  /** Number of contributions so far below the leaf's node of the given height. */
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
