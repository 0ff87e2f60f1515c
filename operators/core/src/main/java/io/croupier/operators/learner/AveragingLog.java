package io.croupier.operators.learner;

import java.util.BitSet;

/**
 * The last {@value #CAPACITY} operations on a {@link RunningAverage} whose iterates rarely change.
 * Each operation moves all coordinates. The log lets the state keep the averages of coordinates
 * whose iterate stays the same as they were some operations ago: a restore repeats those since
 * then, and obtains the same bits.
 *
 * <p>In the state the log is a ring, in sections of {@value #SECTION} operations.
 */
final class AveragingLog implements Sections {
  static final int CAPACITY = 4096;
  private static final int SECTION = 64;

  private final double[] operations = new double[CAPACITY];
  private final long[] values = new long[SECTION];
  private final BitSet unsaved = new BitSet(CAPACITY / SECTION);

  /** Operations so far. */
  private long end;

  /** Returns the number of operations so far. */
  long end() {
    return end;
  }

  /** Records that the mean over the present block moved towards the iterates, by {@code gain}. */
  void moved(double gain) {
    add(gain);
  }

  /** Records that the present block was merged into the earlier ones, with {@code share}. */
  void settled(double share) {
    add(-share);
  }

  private void add(double operation) {
    int slot = (int) (end % CAPACITY);
    operations[slot] = operation;
    unsaved.set(slot / SECTION);
    end++;
  }

  /**
   * Repeats the operations from number {@code from} on, at most {@link #CAPACITY} of them, on the
   * coordinates {@code start} to {@code start + count}.
   *
   * @param iterates the iterates of these coordinates at all of the operations
   * @param count number of these coordinates
   * @param recent the mean over the present block, of all coordinates
   * @param settled the mean over the earlier blocks, of all coordinates; null if none has settled
   */
  void repeat(
      long from, double[] iterates, int count, double[] recent, double[] settled, int start) {
    if (from < Math.max(0, end - CAPACITY) || from > end) {
      throw new IllegalStateException(
          "The state has averages as of operation %d, and operations up to %d"
              .formatted(from, end));
    }
    for (long i = from; i < end; i++) {
      double operation = operations[(int) (i % CAPACITY)];
      if (operation >= 0) {
        for (int j = 0; j < count; j++) {
          recent[start + j] += operation * (iterates[j] - recent[start + j]);
        }
      } else {
        for (int j = 0; j < count; j++) {
          settled[start + j] -= operation * (recent[start + j] - settled[start + j]);
          recent[start + j] = 0;
        }
      }
    }
  }

  /** Passes the log to a visitor. */
  void visit(LearnerState.Visitor visitor) {
    end = visitor.count("averaging-operations", end);
    visitor.sections("averaging", this);
  }

  @Override
  public int count() {
    return CAPACITY / SECTION;
  }

  @Override
  public boolean isUnsaved(int section) {
    return unsaved.get(section);
  }

  @Override
  public long[] read(int section) {
    for (int i = 0; i < SECTION; i++) {
      values[i] = Double.doubleToRawLongBits(operations[section * SECTION + i]);
    }
    return values;
  }

  @Override
  public void saved(int section) {
    unsaved.clear(section);
  }

  @Override
  public void restore(int section, long[] stored) {
    if (stored.length != SECTION) {
      throw new IllegalStateException(
          "A section of the averaging log has %d values".formatted(stored.length));
    }
    for (int i = 0; i < SECTION; i++) {
      operations[section * SECTION + i] = Double.longBitsToDouble(stored[i]);
    }
  }
}
