package io.croupier.operators.model;

import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Round;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.math.Vectors;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpecs;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The sum of the reports in a round that is not closed. Grid vectors are added exactly, as
 * integers, whatever their order; others in order of arrival. Bundles that state a gradient bound
 * have grids of their own, and are added in units of that bound, in order of arrival. If all
 * reports are sparse, all costs, that of a save among them, are proportional to the coordinates
 * that they touch.
 *
 * <p>Invariant: the sums are 0 in every coordinate that is not touched.
 */
final class OpenRound {
  private static final int HAS_GRID = 1;
  private static final int HAS_DOUBLES = 2;
  private static final int IS_DENSE = 4;

  /**
   * The state has the sum in the touched coordinates alone, where earlier releases have it whole.
   */
  private static final int IS_LISTED = 8;

  /** Tolerance of {@link #fullness}: far more than its rounding error, far less than 1. */
  private static final double ROUNDING = 1e-9;

  private final String name;
  private final int dimension;
  private final int gridExponent;
  private final double unit;
  private int count;
  private double coin;
  private double variance;

  /** Sum over the reports of 1 / (the size of a round of only such reports). */
  private double fullness;

  /** Sum of the grid vectors, in grid steps; null before the first one. */
  private long[] gridSum;

  /** Sum of the other vectors; null before the first one. */
  private double[] sum;

  /** Whether any coordinate may differ from 0; if not, {@link #touched} lists those that may. */
  private boolean dense;

  private final BitSet isTouched = new BitSet();
  private int[] touched = new int[16];
  private int touchedCount;

  /** The list that a closed round may still reference. */
  private int[] spare = new int[16];

  /**
   * Creates an empty round.
   *
   * @param name prefix of the names of its parts in the state
   * @param gridExponent of bundles that state no gradient bound
   * @param unit divisor of the mean and of the coin of a closed round; 1 if bundles state their
   *     bounds
   */
  OpenRound(String name, int dimension, int gridExponent, double unit) {
    this.unit = unit;
    this.name = name;
    this.dimension = dimension;
    this.gridExponent = gridExponent;
  }

  /** Returns the number of reports in the round. */
  int count() {
    return count;
  }

  /** Returns whether the round is full, with at least {@code least} reports. */
  boolean isFull(int least) {
    return count >= least && fullness >= 1 - ROUNDING;
  }

  /**
   * Adds a bundle.
   *
   * @param direction direction of the round that the bundle names; null if the learner doesn't bet
   * @param pull multiple of the direction that is added to every gradient of that round
   * @param roundSize size of a round of only such reports, at least 1
   */
  void add(RoundSum bundle, double[] direction, double pull, long roundSize) {
    if (bundle.gradientBound == 0) {
      addValues(bundle);
    } else {
      addInUnitsOfItsBound(bundle);
    }
    if (bundle.form == VectorForm.SPARSE) {
      touch(bundle.indices);
    }
    dense |= bundle.form != VectorForm.SPARSE || pull != 0;
    if (direction != null) {
      coin += dot(bundle, direction);
    }
    if (pull != 0) {
      coin += bundle.count * pull * Vectors.squaredNorm(direction);
      Vectors.addScaled(bundle.count * pull, direction, sum());
    }
    variance += bundle.directionalVariance;
    count += bundle.count;
    fullness += (double) bundle.count / roundSize;
  }

  private void addValues(RoundSum bundle) {
    switch (bundle.form) {
      case GRID -> PackedVectors.addGrid(bundle.values, gridSum());
      case GRID_SUM -> PackedVectors.addGridSum(bundle.values, gridSum());
      case DENSE -> PackedVectors.addDense(bundle.values, sum());
      case SPARSE -> PackedVectors.addSparse(bundle.values, bundle.indices, sum());
      case EXAMPLE -> throw new IllegalArgumentException("An example is not a gradient");
      case ANSWER -> throw new IllegalArgumentException("An answer is not a gradient");
      case CANDIDATE -> throw new IllegalArgumentException("A candidate must be expanded first");
    }
  }

  private void addInUnitsOfItsBound(RoundSum bundle) {
    double factor = 1 / bundle.gradientBound;
    PackedVectors.addScaled(
        bundle.form, bundle.values, bundle.indices, exponent(bundle), factor, sum());
  }

  private double dot(RoundSum bundle, double[] direction) {
    double dot =
        PackedVectors.dot(bundle.form, bundle.values, bundle.indices, exponent(bundle), direction);
    return bundle.gradientBound == 0 ? dot : dot / bundle.gradientBound;
  }

  private int exponent(RoundSum bundle) {
    return bundle.gradientBound == 0 ? gridExponent : ModelSpecs.gridExponent(bundle.gradientBound);
  }

  /** Adds the sum to {@code other}, and resets this round. */
  void moveTo(OpenRound other) {
    if (gridSum != null) {
      long[] into = other.gridSum();
      for (int j = 0; j < dimension; j++) {
        into[j] += gridSum[j];
      }
    }
    if (sum != null) {
      Vectors.addScaled(1, sum, other.sum());
    }
    other.dense |= dense;
    other.touch(Arrays.copyOf(touched, touchedCount));
    other.coin += coin;
    other.variance += variance;
    other.count += count;
    other.fullness += fullness;
    clear();
  }

  private long[] gridSum() {
    if (gridSum == null) {
      gridSum = new long[dimension];
    }
    return gridSum;
  }

  private double[] sum() {
    if (sum == null) {
      sum = new double[dimension];
    }
    return sum;
  }

  private void touch(int[] indices) {
    for (int index : indices) {
      if (!isTouched.get(index)) {
        isTouched.set(index);
        if (touchedCount == touched.length) {
          touched = Arrays.copyOf(touched, 2 * touchedCount);
        }
        touched[touchedCount++] = index;
      }
    }
  }

  /** Writes the mean over the reports into {@code round}, and resets this round. */
  void close(Round round) {
    double share = 1.0 / count;
    double scale = share / unit;
    round.reports = count;
    round.coin = coin * scale;
    round.directionalVariance = variance * share * share;
    if (dense) {
      round.dense();
      writeMean(round.subgradient, scale);
      round.squaredNorm = Vectors.squaredNorm(round.subgradient);
    } else {
      round.sparse(touched, touchedCount);
      round.squaredNorm = 0;
      for (int i = 0; i < touchedCount; i++) {
        double g = sum[touched[i]] * scale;
        round.subgradient[touched[i]] = g;
        round.squaredNorm += g * g;
      }
    }
    clear();
  }

  private void writeMean(double[] mean, double scale) {
    double gridStep = Math.scalb(1.0, gridExponent);
    if (gridSum == null) {
      Vectors.scale(scale, sum, mean);
    } else if (sum == null) {
      for (int j = 0; j < dimension; j++) {
        mean[j] = gridSum[j] * gridStep * scale;
      }
    } else {
      for (int j = 0; j < dimension; j++) {
        mean[j] = (gridSum[j] * gridStep + sum[j]) * scale;
      }
    }
  }

  private void clear() {
    if (dense) {
      if (sum != null) {
        Arrays.fill(sum, 0);
      }
      if (gridSum != null) {
        Arrays.fill(gridSum, 0);
      }
    }
    for (int i = 0; i < touchedCount; i++) {
      sum[touched[i]] = 0;
      isTouched.clear(touched[i]);
    }
    int[] listed = touched;
    touched = spare;
    spare = listed;
    touchedCount = 0;
    dense = false;
    count = 0;
    coin = 0;
    variance = 0;
    fullness = 0;
  }

  /** Passes the state to a visitor; only the count if the round is empty. */
  void save(LearnerState.Visitor visitor) {
    visitor.count(name, count);
    if (count == 0) {
      return;
    }
    int parts =
        (gridSum == null ? 0 : HAS_GRID)
            | (sum == null ? 0 : HAS_DOUBLES)
            | (dense ? IS_DENSE : IS_LISTED);
    visitor.count(name + "-parts", parts);
    visitor.scalar(name + "-coin", coin);
    visitor.scalar(name + "-variance", variance);
    visitor.scalar(name + "-fullness", fullness);
    long[] coordinates = Arrays.stream(touched, 0, touchedCount).asLongStream().toArray();
    visitor.count(name + "-touched-count", touchedCount);
    visitor.counts(name + "-touched", coordinates);
    if (!dense) {
      visitor.vector(name + "-touched-sum", Vectors.pick(sum, coordinates));
      return;
    }
    if (gridSum != null) {
      visitor.counts(name + "-grid-sum", gridSum);
    }
    if (sum != null) {
      visitor.vector(name + "-sum", sum);
    }
  }

  /**
   * Restores what {@link #save} wrote.
   *
   * @param reportsPerRound size of the rounds of releases whose state has no fullness
   */
  void restore(LearnerState.Visitor visitor, int reportsPerRound) {
    count = (int) visitor.count(name, 0);
    if (count == 0) {
      return;
    }
    int parts = (int) visitor.count(name + "-parts", HAS_GRID | HAS_DOUBLES | IS_DENSE);
    dense = (parts & IS_DENSE) != 0;
    coin = visitor.scalar(name + "-coin", 0);
    variance = visitor.scalar(name + "-variance", 0);
    fullness = visitor.scalar(name + "-fullness", (double) count / reportsPerRound);
    long[] coordinates = new long[(int) visitor.count(name + "-touched-count", 0)];
    visitor.counts(name + "-touched", coordinates);
    touch(Arrays.stream(coordinates).mapToInt(Math::toIntExact).toArray());
    if ((parts & IS_LISTED) != 0) {
      restoreListed(visitor, parts);
      return;
    }
    if ((parts & HAS_GRID) != 0) {
      visitor.counts(name + "-grid-sum", gridSum());
    }
    if ((parts & HAS_DOUBLES) != 0) {
      visitor.vector(name + "-sum", sum());
    }
  }

  /** All sums are 0 in the other coordinates, and exist where they did. */
  private void restoreListed(LearnerState.Visitor visitor, int parts) {
    if ((parts & HAS_GRID) != 0) {
      gridSum();
    }
    if ((parts & HAS_DOUBLES) != 0) {
      sum();
    }
    double[] listed = new double[touchedCount];
    visitor.vector(name + "-touched-sum", listed);
    for (int i = 0; i < touchedCount; i++) {
      sum[touched[i]] = listed[i];
    }
  }

  /** Returns whether a stored part belongs to a closed round. */
  boolean isObsolete(String part) {
    return count == 0 && part.startsWith(name + "-");
  }
}
