package io.croupier.accounting.tree;

import java.util.ArrayList;
import java.util.List;

/** Builds the segments of one release; segments of equal shape are built only once. */
final class Segments {
  private final List<Segment> complete = new ArrayList<>();

  Segments(long gap, int most) {
    complete.add(Segment.leaf(gap, most));
  }

  /** The leaves and released nodes of one tree. */
  Segment tree(long steps, boolean completed) {
    return tree(ceilLog(steps), steps, completed);
  }

  private Segment tree(int height, long steps, boolean completed) {
    if (steps == 1L << height) {
      return complete(height);
    }
    long half = 1L << (height - 1);
    if (steps <= half) {
      Segment tree = tree(height - 1, steps, completed);
      return completed ? tree.besideVirtual() : tree;
    }
    return Segment.join(complete(height - 1), tree(height - 1, steps - half, completed), completed);
  }

  private Segment complete(int height) {
    while (complete.size() <= height) {
      Segment half = complete.get(complete.size() - 1);
      complete.add(Segment.join(half, half, true));
    }
    return complete.get(height);
  }

  /** Concatenates {@code times} trees of one shape and a last one. */
  static Segment oneAfterTheOther(Segment tree, long times, Segment last) {
    Segment all = last;
    Segment doubled = tree;
    for (long left = times; left > 0; left >>= 1) {
      if ((left & 1) != 0) {
        all = Segment.join(doubled, all, false);
      }
      if (left > 1) {
        doubled = Segment.join(doubled, doubled, false);
      }
    }
    return all;
  }

  /** The height of the smallest complete tree with at least {@code steps} leaves. */
  static int ceilLog(long steps) {
    return 64 - Long.numberOfLeadingZeros(steps - 1);
  }

  static long ceilDiv(long dividend, long divisor) {
    return -Math.floorDiv(-dividend, divisor);
  }
}
