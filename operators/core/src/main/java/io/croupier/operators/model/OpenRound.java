package io.croupier.operators.model;

import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Round;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.math.SparseSum;
import io.croupier.operators.math.Vectors;
import io.croupier.operators.report.ReportWeight;
import io.croupier.operators.report.VectorForm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The reports since the last publication: one exact sum for each publication that they name, each
 * weight and each grid. So a round doesn't depend on the order in which its reports arrived, bit
 * for bit.
 *
 * <p>If all reports are sparse, all costs, that of a save among them, are proportional to the
 * coordinates that they touch.
 */
final class OpenRound {
  private static final String PREFIX = "round-";

  /** In place of the publication of reports from the state of release 0.2.0. */
  private static final long UNKNOWN = -1;

  private static final int NUMBERS = 5;

  private record Key(long publication, int weightExponent, int exponent)
      implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparingLong(Key::publication)
            .thenComparingInt(Key::weightExponent)
            .thenComparingInt(Key::exponent);

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  /** The exact sum of the reports of one key. */
  private static final class Sum {
    private long count;
    private long denseCount;
    private double variance;

    /** G of the publication, if the clip moves; 0: that of the spec. */
    private double gradientBound;

    /** Null if no report is dense. */
    private long[] dense;

    /** Null if no report is sparse. */
    private SparseSum sparse;
  }

  private final int dimension;
  private final double gradientBound;
  private final Map<Key, Sum> sums = new TreeMap<>();
  private long count;

  /** Reports that waited in the state of release 0.2.0, and the sum of their vectors. */
  private long formerCount;

  private double[] formerSum = {};

  /** A cleared sum, for reuse. */
  private long[] spare;

  /**
   * Creates an empty round.
   *
   * @param gradientBound G of the spec; unused if the clip moves
   */
  OpenRound(int dimension, double gradientBound) {
    this.dimension = dimension;
    this.gradientBound = gradientBound;
  }

  /**
   * Adds reports of which no release knows the publication or the weight any more. They have the
   * mean weight of the others.
   *
   * @param sum of their vectors, shape [d]; kept, not copied
   */
  void addFormer(long reports, double[] sum) {
    if (formerCount == 0) {
      formerSum = sum;
    } else {
      Vectors.add(sum, formerSum);
    }
    formerCount += reports;
    count += reports;
  }

  /** Returns the number of reports in the round. */
  long count() {
    return count;
  }

  /** Adds a bundle of grid, grid-sum or sparse-sum form. */
  void add(RoundSum bundle) {
    Sum sum = sum(bundle);
    switch (bundle.form) {
      case GRID -> PackedVectors.addGrid(bundle.values, dense(sum));
      case GRID_SUM -> PackedVectors.addGridSum(bundle.values, dense(sum));
      case SPARSE_SUM -> sparse(sum).add(bundle.values, bundle.indices, bundle.touches);
      default ->
          throw new IllegalArgumentException(
              "A vector of form %s in a round".formatted(bundle.form));
    }
    if (bundle.form != VectorForm.SPARSE_SUM) {
      sum.denseCount += bundle.count;
    }
    count(bundle, sum);
  }

  /** Counts a report of a model without weights: it names no coordinate. */
  void count(RoundSum report) {
    Sum sum = sum(report);
    sparse(sum);
    count(report, sum);
  }

  private Sum sum(RoundSum bundle) {
    Key key = new Key(bundle.namedRound, bundle.weightExponent, bundle.exponent);
    return sums.computeIfAbsent(key, absent -> new Sum());
  }

  private void count(RoundSum bundle, Sum sum) {
    sum.variance += bundle.directionalVariance;
    sum.gradientBound = bundle.gradientBound;
    sum.count += bundle.count;
    count += bundle.count;
  }

  private static SparseSum sparse(Sum sum) {
    if (sum.sparse == null) {
      sum.sparse = new SparseSum();
    }
    return sum.sparse;
  }

  private long[] dense(Sum sum) {
    if (sum.dense == null) {
      sum.dense = spare == null ? new long[dimension] : spare;
      spare = null;
    }
    return sum.dense;
  }

  /**
   * Writes the round, and resets this one.
   *
   * @param presentBound G of the reports whose publication is unknown
   */
  void close(Round round, double presentBound) {
    round.clear();
    round.reports = count;
    Round.Part part = null;
    if (formerCount > 0) {
      closeFormer(round.add(UNKNOWN), presentBound);
    }
    List<Map.Entry<Key, Sum>> ofPart = new ArrayList<>();
    for (Map.Entry<Key, Sum> entry : sums.entrySet()) {
      if (part == null || part.publication != entry.getKey().publication) {
        finish(part, ofPart);
        part = round.add(entry.getKey().publication);
      }
      ofPart.add(entry);
      double weight = ReportWeight.of(entry.getKey().weightExponent);
      Sum sum = entry.getValue();
      part.gradientBound = sum.gradientBound == 0 ? gradientBound : sum.gradientBound;
      part.weight += sum.count * weight;
      part.squaredWeight += sum.count * weight * weight;
      part.variance += sum.variance * weight * weight;
      part.denseWeight += sum.denseCount * weight;
      part.denseSquaredWeight += sum.denseCount * weight * weight;
      round.largestWeight = Math.max(round.largestWeight, weight);
    }
    finish(part, ofPart);
    clear();
  }

  private void closeFormer(Round.Part part, double presentBound) {
    double weights = 0;
    long others = count - formerCount;
    for (Map.Entry<Key, Sum> entry : sums.entrySet()) {
      weights += entry.getValue().count * ReportWeight.of(entry.getKey().weightExponent);
    }
    double mean = others == 0 ? 1 : weights / others;
    part.weight = formerCount * mean;
    part.squaredWeight = part.weight * mean;
    part.denseWeight = part.weight;
    part.denseSquaredWeight = part.squaredWeight;
    part.gradientBound = presentBound;
    part.sum = new double[dimension];
    part.count = dimension;
    Vectors.addScaled(mean, formerSum, part.sum);
  }

  private void finish(Round.Part part, List<Map.Entry<Key, Sum>> ofPart) {
    if (part == null) {
      return;
    }
    boolean isSparse = ofPart.stream().allMatch(entry -> entry.getValue().dense == null);
    if (isSparse) {
      part.coordinates =
          ofPart.stream()
              .flatMapToInt(entry -> Arrays.stream(entry.getValue().sparse.indices()))
              .sorted()
              .distinct()
              .toArray();
      part.count = part.coordinates.length;
    } else {
      part.count = dimension;
    }
    if (part.sum.length < part.count) {
      part.sum = new double[part.count];
    }
    Arrays.fill(part.sum, 0, part.count, 0);
    if (ofPart.stream().anyMatch(entry -> entry.getValue().sparse != null)) {
      part.touching = new double[part.count];
      part.touchingSquared = new double[part.count];
    }
    for (Map.Entry<Key, Sum> entry : ofPart) {
      double weight = ReportWeight.of(entry.getKey().weightExponent);
      double factor = Math.scalb(weight, entry.getKey().exponent);
      if (entry.getValue().dense != null) {
        long[] dense = entry.getValue().dense;
        for (int j = 0; j < dimension; j++) {
          part.sum[j] += factor * dense[j];
        }
      }
      if (entry.getValue().sparse != null) {
        addSparse(entry.getValue().sparse, weight, factor, part);
      }
    }
    ofPart.clear();
  }

  private static void addSparse(SparseSum sparse, double weight, double factor, Round.Part part) {
    int[] indices = sparse.indices();
    long[] values = sparse.sums();
    int[] touches = sparse.touches();
    for (int i = 0; i < indices.length; i++) {
      int at = part.isSparse() ? Arrays.binarySearch(part.coordinates, indices[i]) : indices[i];
      part.sum[at] += factor * values[i];
      part.touching[at] += touches[i] * weight;
      part.touchingSquared[at] += touches[i] * weight * weight;
    }
  }

  private void clear() {
    for (Sum sum : sums.values()) {
      if (sum.dense != null) {
        spare = sum.dense;
      }
    }
    if (spare != null) {
      Arrays.fill(spare, 0);
    }
    sums.clear();
    count = 0;
    formerCount = 0;
    formerSum = new double[0];
  }

  /** Passes the state to a visitor. */
  void save(LearnerState.Visitor visitor) {
    visitor.count("round-sums", sums.size());
    visitor.count("round-former", formerCount);
    if (formerCount > 0) {
      visitor.vector("round-former-sum", formerSum);
    }
    int i = 0;
    for (Map.Entry<Key, Sum> entry : sums.entrySet()) {
      Key key = entry.getKey();
      Sum sum = entry.getValue();
      String name = PREFIX + i++;
      long[] numbers = {
        key.publication, key.weightExponent, key.exponent, sum.count, sum.denseCount
      };
      visitor.counts(name + "-numbers", numbers);
      visitor.scalar(name + "-variance", sum.variance);
      visitor.scalar(name + "-bound", sum.gradientBound);
      visitor.count(name + "-sparse", sum.sparse == null ? 0 : sum.sparse.size());
      if (sum.dense != null) {
        visitor.counts(name + "-sum", sum.dense);
      }
      if (sum.sparse != null) {
        visitor.counts(name + "-coordinates", longs(sum.sparse.indices()));
        visitor.counts(name + "-sparse-sum", sum.sparse.sums());
        visitor.counts(name + "-touches", longs(sum.sparse.touches()));
      }
    }
  }

  private static long[] longs(int[] values) {
    return IntStream.of(values).asLongStream().toArray();
  }

  /** Restores what {@link #save} wrote. */
  void restore(LearnerState.Visitor visitor) {
    long former = visitor.count("round-former", 0);
    if (former > 0) {
      double[] sum = new double[dimension];
      visitor.vector("round-former-sum", sum);
      addFormer(former, sum);
    }
    int size = (int) visitor.count("round-sums", 0);
    for (int i = 0; i < size; i++) {
      String name = PREFIX + i;
      long[] numbers = new long[NUMBERS];
      visitor.counts(name + "-numbers", numbers);
      Sum sum = new Sum();
      sum.count = numbers[3];
      sum.denseCount = numbers[4];
      sum.variance = visitor.scalar(name + "-variance", 0);
      sum.gradientBound = visitor.scalar(name + "-bound", 0);
      if (sum.denseCount > 0) {
        visitor.counts(name + "-sum", dense(sum));
      }
      int coordinates = (int) visitor.count(name + "-sparse", 0);
      if (coordinates > 0) {
        sum.sparse = new SparseSum();
        long[] indices = new long[coordinates];
        long[] values = new long[coordinates];
        long[] touches = new long[coordinates];
        visitor.counts(name + "-coordinates", indices);
        visitor.counts(name + "-sparse-sum", values);
        visitor.counts(name + "-touches", touches);
        sum.sparse.add(PackedVectors.encode(values), ints(indices), ints(touches));
      } else if (sum.denseCount < sum.count) {
        sum.sparse = new SparseSum();
      }
      sums.put(new Key(numbers[0], (int) numbers[1], (int) numbers[2]), sum);
      count += sum.count;
    }
  }

  private static int[] ints(long[] values) {
    return Arrays.stream(values).mapToInt(Math::toIntExact).toArray();
  }

  /**
   * Returns whether a stored part may belong to a round that is closed: a save writes the others.
   */
  static boolean isObsolete(String part) {
    return part.startsWith(PREFIX);
  }
}
