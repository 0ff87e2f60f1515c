package io.croupier.accounting.tree;

/**
 * Which trees are completed by virtual steps, up to the next power of two, so that their last
 * prefix sum is the root ([KMSTTX21, D.3.1]). Virtual steps carry nothing, but add nodes above real
 * ones.
 */
public enum Completion {
  /** None: a node whose leaves did not all come is never released. */
  NONE,
  /** Each but the last: what a learner does that completes its tree when it restarts. */
  BEFORE_RESTART,
  /** All: the trees are completed, or each node is charged as soon as its first leaf comes. */
  EVERY_TREE;

  boolean completes(boolean lastTree) {
    return this == EVERY_TREE || (this == BEFORE_RESTART && !lastTree);
  }
}
