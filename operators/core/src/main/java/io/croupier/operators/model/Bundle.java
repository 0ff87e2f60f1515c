package io.croupier.operators.model;

import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.math.SparseSum;
import io.croupier.operators.report.VectorForm;
import java.util.Arrays;

/**
 * The sum of reports to one model and publication that have the same weight and grid, while it is
 * still growing. Values are added exactly, as integers, so that a sum doesn't depend on the order
 * of its reports. A sum of sparse reports names the coordinates that any of them names, and how
 * many do.
 *
 * <p>Not thread-safe. The second report allocates O(d); later ones only for their positions, if
 * they have any. Sparse reports cost time and memory proportional to their coordinates, whatever d.
 */
public final class Bundle {
  private final RoundSum first;
  private RoundSum sum;
  private long[] gridSum;
  private SparseSum sparseSum;
  private int positions;

  /**
   * Creates a bundle of one report.
   *
   * @param first the report, of grid, grid-sum or sparse-sum form, or an answer, which must stay
   *     alone. It must not change while the bundle grows
   */
  public Bundle(RoundSum first) {
    this.first = first;
    sum = first;
  }

  /** Returns the number of reports in the bundle. */
  public int count() {
    return sum.count;
  }

  /** Returns the number of values that the bundle keeps. */
  public long values() {
    return sparseSum == null ? first.dimension : sparseSum.size();
  }

  /**
   * Adds a report of the same model, publication, spec, dimension, form, weight, grid, gradient
   * bound and anonymous level as the first.
   *
   * @throws IllegalArgumentException if its form, dimension, weight, grid, gradient bound or
   *     anonymous level differs
   */
  public void add(RoundSum report) {
    if (report.form != first.form || report.dimension != first.dimension) {
      throw new IllegalArgumentException(
          "A %s report of dimension %d in a bundle of %s reports of dimension %d"
              .formatted(report.form, report.dimension, first.form, first.dimension));
    }
    if (report.gradientBound != first.gradientBound) {
      throw new IllegalArgumentException(
          "A report of gradient bound %s in a bundle of reports of gradient bound %s"
              .formatted(report.gradientBound, first.gradientBound));
    }
    if (report.weightExponent != first.weightExponent || report.exponent != first.exponent) {
      throw new IllegalArgumentException(
          "A report of weight 2^-%d on the grid 2^%d in a bundle of weight 2^-%d on the grid 2^%d"
              .formatted(
                  report.weightExponent, report.exponent, first.weightExponent, first.exponent));
    }
    if (report.anonymousLevel != first.anonymousLevel) {
      throw new IllegalArgumentException(
          "A report of anonymous level %d in a bundle of reports of level %d"
              .formatted(report.anonymousLevel, first.anonymousLevel));
    }
    if (sum == first) {
      start();
      addUp(first);
    }
    addUp(report);
  }

  private void start() {
    sum = new RoundSum();
    sum.modelId = first.modelId;
    sum.namedRound = first.namedRound;
    sum.specOffset = first.specOffset;
    sum.anonymousLevel = first.anonymousLevel;
    sum.dimension = first.dimension;
    sum.gradientBound = first.gradientBound;
    sum.weightExponent = first.weightExponent;
    sum.exponent = first.exponent;
    sum.appendedAtMs = first.appendedAtMs;
    switch (first.form) {
      case GRID, GRID_SUM -> {
        sum.form = VectorForm.GRID_SUM;
        gridSum = new long[first.dimension];
      }
      case SPARSE_SUM -> {
        sum.form = VectorForm.SPARSE_SUM;
        sparseSum = new SparseSum();
      }
      default ->
          throw new IllegalArgumentException(
              "Reports of form %s are not bundled".formatted(first.form));
    }
  }

  private void addUp(RoundSum report) {
    if (sparseSum != null) {
      sparseSum.add(report.values, report.indices, report.touches);
    } else if (report.form == VectorForm.GRID) {
      PackedVectors.addGrid(report.values, gridSum);
    } else {
      PackedVectors.addGridSum(report.values, gridSum);
    }
    addPositions(report);
    sum.count += report.count;
    sum.appendedAtMs = Math.min(sum.appendedAtMs, report.appendedAtMs);
    sum.directionalVariance += report.directionalVariance;
  }

  /** Appends the positions. The arrays grow by doubling; sealing trims them. */
  private void addPositions(RoundSum report) {
    int more = report.partitions.length;
    if (positions + more > sum.partitions.length) {
      int room = Math.max(positions + more, 2 * positions);
      sum.partitions = Arrays.copyOf(sum.partitions, room);
      sum.offsets = Arrays.copyOf(sum.offsets, room);
    }
    System.arraycopy(report.partitions, 0, sum.partitions, positions, more);
    System.arraycopy(report.offsets, 0, sum.offsets, positions, more);
    positions += more;
  }

  /** Returns the sum. Nothing may be added afterwards. */
  public RoundSum seal() {
    if (sum != first) {
      sum.partitions = Arrays.copyOf(sum.partitions, positions);
      sum.offsets = Arrays.copyOf(sum.offsets, positions);
    }
    if (gridSum != null) {
      sum.values = PackedVectors.encode(gridSum);
    } else if (sparseSum != null) {
      sum.indices = sparseSum.indices();
      sum.values = PackedVectors.encode(sparseSum.sums());
      sum.touches = sparseSum.touches();
    }
    return sum;
  }
}
