package io.croupier.accounting.tree;

/**
 * Which trees are completed by virtual steps, up to the next power of two, so that their last
 * prefix sum is the root ([KMSTTX21, D.3.1]). Virtual steps contribute nothing, but add nodes above
 * real ones.
 */
public enum Completion {
  /** None: a node without all of its leaves is never released. */
  NONE,
  /** All except the last, for a learner that completes its tree when it restarts. */
  BEFORE_RESTART,
  /** All: the trees are completed, or each node is charged at its first leaf. */
  EVERY_TREE;

  boolean completes(boolean lastTree) {
    return this == EVERY_TREE || (this == BEFORE_RESTART && !lastTree);
  }
}
