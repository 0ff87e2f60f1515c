package io.croupier.operators.math;

import java.security.SecureRandom;
import java.util.Arrays;

/**
 * The exact sum of sparse vectors of integers: the coordinates that any of them names, the sum at
 * each, and how many vectors name it.
 *
 * <p>Adding a vector costs expected O(1) a coordinate, whatever the dimension. Reports choose their
 * coordinates, so the hash function is secret: else a report could name coordinates that all have
 * the same hash. It affects no result. Source: multiply-shift hashing, Dietzfelbinger et al. 1997.
 *
 * <p>Not thread-safe.
 */
public final class SparseSum {
  private static final long MULTIPLIER = new SecureRandom().nextLong() | 1;

  private int[] indices = new int[16];
  private long[] sums = new long[16];
  private int[] touches = new int[16];
  private int size;

  /** 1 + the position of a coordinate in {@link #indices}, or 0; at most half of it is occupied. */
  private int[] slots = new int[32];

  /**
   * Adds a sparse vector, or a sum of several.
   *
   * @param values consecutive little-endian 64-bit integers
   * @param coordinates their coordinates
   * @param counts how many vectors name each of them; empty: one names all
   * @throws IllegalArgumentException if there are not as many values as coordinates
   */
  public void add(byte[] values, int[] coordinates, int[] counts) {
    PackedVectors.requireSparse(values, coordinates);
    for (int i = 0; i < coordinates.length; i++) {
      int position = position(coordinates[i]);
      sums[position] += PackedVectors.longAt(values, i);
      touches[position] += counts.length == 0 ? 1 : counts[i];
    }
  }

  private int position(int coordinate) {
    int slot = slot(coordinate);
    if (slots[slot] == 0) {
      if (size == indices.length) {
        grow();
        slot = slot(coordinate);
      }
      indices[size] = coordinate;
      slots[slot] = ++size;
    }
    return slots[slot] - 1;
  }

  /** Returns the slot of a coordinate, or the empty one where it belongs. */
  private int slot(int coordinate) {
    int bits = Integer.numberOfTrailingZeros(slots.length);
    int slot = (int) ((coordinate * MULTIPLIER) >>> (Long.SIZE - bits));
    while (slots[slot] != 0 && indices[slots[slot] - 1] != coordinate) {
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }

  private void grow() {
    indices = Arrays.copyOf(indices, 2 * size);
    sums = Arrays.copyOf(sums, 2 * size);
    touches = Arrays.copyOf(touches, 2 * size);
    slots = new int[4 * size];
    for (int i = 0; i < size; i++) {
      slots[slot(indices[i])] = i + 1;
    }
  }

  /** Returns the number of coordinates. */
  public int size() {
    return size;
  }

  /** Returns the coordinates, in order of first occurrence. */
  public int[] indices() {
    return Arrays.copyOf(indices, size);
  }

  /** Returns the sums at {@link #indices}. */
  public long[] sums() {
    return Arrays.copyOf(sums, size);
  }

  /** Returns how many vectors name each of the {@link #indices}. */
  public int[] touches() {
    return Arrays.copyOf(touches, size);
  }
}
