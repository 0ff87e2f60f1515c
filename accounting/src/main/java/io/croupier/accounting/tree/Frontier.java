package io.croupier.accounting.tree;

import java.util.Arrays;

/**
 * The placements of a given number of contributions in a segment that no other beats: how many
 * leaves each leaves blocked behind the segment, ascending, and its value, strictly ascending with
 * it.
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

  /** Whether no placement of the other, its values raised by so much, can get into this one. */
  boolean beatsAll(Frontier other, long raisedBy) {
    return size > 0
        && blocked[0] <= other.blocked[0]
        && value[0] >= other.value[other.size - 1] + raisedBy;
  }

  /** Takes in a placement unless one that blocks no more is worth as much. O(size). */
  void add(long newBlocked, long newValue) {
    int from = 0;
    while (from < size && blocked[from] < newBlocked) {
      from++;
    }
    if ((from > 0 && value[from - 1] >= newValue)
        || (from < size && blocked[from] == newBlocked && value[from] >= newValue)) {
      return;
    }
    int to = from;
    while (to < size && value[to] <= newValue) {
      to++;
    }
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
