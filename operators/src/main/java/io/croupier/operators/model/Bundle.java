package io.croupier.operators.model;

import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.math.SparseSum;
import io.croupier.operators.report.VectorForm;
import java.util.Arrays;

/**
 * A sum of reports to one model and round, of one gradient bound, that is still growing: grid
 * vectors are added exactly, as integers, others in order of arrival. A sum of sparse reports names
 * the coordinates that any of them names.
 *
 * <p>A bundle of one report is that report itself, bit for bit. So a bundle depends only on its
 * reports and their order.
 *
 * <p>Not thread-safe. The second report allocates O(d); later ones only for their positions, if
 * they have any. Sparse reports cost time and memory proportional to their coordinates, whatever d.
 */
public final class Bundle {
  private final RoundSum first;
  private RoundSum sum;
  private long[] gridSum;
  private double[] denseSum;
  private SparseSum sparseSum;
  private int positions;

  /**
   * Creates a bundle of one report.
   *
   * @param first the report, of grid, dense or sparse form, or an answer, which must stay alone. It
   *     must not change while the bundle grows
   */
  public Bundle(RoundSum first) {
    this.first = first;
    sum = first;
  }

  /** Returns the number of reports in the bundle. */
  public int count() {
    return sum.count;
  }

  /**
   * Adds a report of the same model, round, spec, dimension, form and gradient bound as the first.
   *
   * @throws IllegalArgumentException if its form, dimension or gradient bound differs
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
    sum.reportsPerRound = first.reportsPerRound;
    sum.specOffset = first.specOffset;
    sum.dimension = first.dimension;
    sum.gradientBound = first.gradientBound;
    sum.appendedAtMs = first.appendedAtMs;
    switch (first.form) {
      case GRID -> {
        sum.form = VectorForm.GRID_SUM;
        gridSum = new long[first.dimension];
      }
      case DENSE -> {
        sum.form = VectorForm.DENSE;
        denseSum = new double[first.dimension];
      }
      case SPARSE -> {
        sum.form = VectorForm.SPARSE;
        sparseSum = new SparseSum();
      }
      case GRID_SUM, EXAMPLE, CANDIDATE, ANSWER ->
          throw new IllegalArgumentException(
              "Reports of form %s are not bundled".formatted(first.form));
    }
  }

  private void addUp(RoundSum report) {
    if (gridSum != null) {
      PackedVectors.addGrid(report.values, gridSum);
    } else if (sparseSum != null) {
      sparseSum.add(report.values, report.indices);
    } else {
      PackedVectors.addDense(report.values, denseSum);
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
    } else if (denseSum != null) {
      sum.values = PackedVectors.encode(denseSum);
    } else if (sparseSum != null) {
      sum.indices = sparseSum.indices();
      sum.values = sparseSum.values();
    }
    return sum;
  }
}
