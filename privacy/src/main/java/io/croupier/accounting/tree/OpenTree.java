package io.croupier.accounting.tree;

import java.util.ArrayList;
import java.util.List;

/**
 * The complete nodes that wait for their sibling, at most one of each height: a binary counter,
 * like the sums of a streaming tree.
 */
final class OpenTree {
  /** Whether a node is charged when it is complete; false if nodes are only merged. */
  private final boolean charges;

  /** By height; null where no node waits. */
  private final List<UserCounts> waiting = new ArrayList<>();

  OpenTree(boolean charges) {
    this.charges = charges;
  }

  void add(UserCounts leaf) {
    UserCounts node = leaf;
    int height = 0;
    while (height < waiting.size() && waiting.get(height) != null) {
      node = parent(waiting.set(height, null), node);
      height++;
    }
    if (height == waiting.size()) {
      waiting.add(node);
    } else {
      waiting.set(height, node);
    }
  }

  private UserCounts parent(UserCounts left, UserCounts right) {
    UserCounts both = left.and(right);
    return charges ? both.withOneMoreNode() : both;
  }

  /** All users in the tree, charged for the complete nodes. */
  UserCounts asItIs() {
    UserCounts all = UserCounts.NOBODY;
    for (UserCounts node : waiting) {
      all = node == null ? all : node.and(all);
    }
    return all;
  }

  /**
   * All users in the tree, charged for all nodes above real leaves after virtual leaves complete
   * the tree.
   */
  UserCounts completed() {
    UserCounts node = null;
    for (int height = 0; height < waiting.size(); height++) {
      UserCounts left = waiting.get(height);
      boolean root = height == waiting.size() - 1 && node == null;
      if (left == null) {
        node = node == null ? null : node.withOneMoreNode();
      } else if (node == null) {
        node = root ? left : left.withOneMoreNode();
      } else {
        node = parent(left, node);
      }
    }
    return node == null ? UserCounts.NOBODY : node;
  }
}
