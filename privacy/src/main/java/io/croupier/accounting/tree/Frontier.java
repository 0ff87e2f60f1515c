package io.croupier.accounting.tree;

import java.util.Arrays;

/**
 * The Pareto-optimal placements of a given number of contributions in a segment: the number of
 * leaves that each blocks after the segment, ascending, and its value, strictly ascending.
 */
final class Frontier {
  private long[] blocked = new long[1];
  private long[] value = new long[1];
  private int size;

  int size() {
    return size;
  }

  long blocked(int i) {
    return blocked[i];
  }

  long value(int i) {
    return value[i];
  }

  /**
   * Whether no placement of {@code other}, with values increased by {@code raisedBy}, can enter
   * this frontier.
   */
  boolean beatsAll(Frontier other, long raisedBy) {
    return size > 0
        && blocked[0] <= other.blocked[0]
        && value[0] >= other.value[other.size - 1] + raisedBy;
  }

  /**
   * Adds a placement unless one that blocks at most as many leaves has at least its value. O(size).
   */
  void add(long newBlocked, long newValue) {
    add(newBlocked, newValue, 0);
  }

  /** Adds the placements of {@code other}, with values increased by {@code raisedBy}. */
  void addAll(Frontier other, long raisedBy) {
    int from = 0;
    for (int i = 0; i < other.size; i++) {
      from = add(other.blocked[i], other.value[i] + raisedBy, from);
    }
  }

  /**
   * Adds a placement that blocks more leaves than those before {@code startingAt}.
   *
   * @return the index from which to search for a placement that blocks more
   */
  private int add(long newBlocked, long newValue, int startingAt) {
    int from = startingAt;
    while (from < size && blocked[from] < newBlocked) {
      from++;
    }
    boolean beaten =
        (from > 0 && value[from - 1] >= newValue)
            || (from < size && blocked[from] == newBlocked && value[from] >= newValue);
    if (beaten) {
      return from;
    }
    int to = from;
    while (to < size && value[to] <= newValue) {
      to++;
    }
    replace(from, to, newBlocked, newValue);
    return from;
  }

  private void replace(int from, int to, long newBlocked, long newValue) {
    int newSize = size - (to - from) + 1;
    if (newSize > blocked.length) {
      blocked = Arrays.copyOf(blocked, 2 * newSize);
      value = Arrays.copyOf(value, 2 * newSize);
    }
    System.arraycopy(blocked, to, blocked, from + 1, size - to);
    System.arraycopy(value, to, value, from + 1, size - to);
    blocked[from] = newBlocked;
    value[from] = newValue;
    size = newSize;
  }
}
