package io.croupier.operators.learner;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * The vectors of a coordinate-wise learner, in chunks of {@value #COORDINATES} coordinates. A chunk
 * holds the values of its coordinates in all vectors, so a sparse report changes little of the
 * state.
 *
 * <p>Every publication moves the average in every coordinate. A stored chunk therefore contains its
 * averages as of the operation of the {@link AveragingLog} at which it was saved. Since its weights
 * have stayed the same since then, a restore repeats the later operations and obtains the same
 * bits. So that the log stays short, a {@value #CYCLE}th of the chunks is saved with each
 * operation.
 *
 * <p>Invariants: (1) a chunk that is not active is 0; (2) the weights of a chunk that is not
 * unsaved are those in the store; (3) unprojected weights are up to date unless a coordinate is
 * touched.
 */
final class CoordinateChunks implements Sections {
  static final int COORDINATES = 64;
  static final int CYCLE = AveragingLog.CAPACITY / 2;

  /** The operation of the averages, and a bit for each touched coordinate. */
  private static final int HEADER = 2;

  /** Vectors in states of release 0.2.0, without the settled averages. */
  private static final int FORMER_VECTORS = 6;

  private static final int SYMMETRIC_VECTORS = 8;
  private static final int ALL_VECTORS = 10;

  final double[] coins;
  final double[] coinsLow;

  /** V of the positive side. */
  final double[] squares;

  final double[] squaresLow;

  /** h of the positive side; 0 before the first coin. */
  final double[] bound;

  /** The mass of the prior over the first range, over what was added to the wealth since. */
  final double[] mass;

  /** V of the negative side minus that of the positive one; null while the sides are equal. */
  private double[] excess;

  /** h of the negative side; null while the sides are equal. */
  private double[] lowerBound;

  /** With a memory: the reports of the model up to a coordinate's last discount; else null. */
  final double[] discounted;

  /** z: the weights in force before clipping to the box, minus the initial ones. */
  final double[] unprojected;

  final RunningAverage average;

  private List<double[]> vectors;
  private final BallConstraint constraint;
  private final AveragingLog log = new AveragingLog();

  /** The coordinates whose weights must be evaluated, a bit for each, by chunk. */
  private final long[] touched;

  /** The chunks that a round has touched. */
  private final BitSet active;

  private final BitSet unsaved;

  /** By chunk: the number of operations that its averages in the store include. */
  private final long[] savedAt;

  /** A lower bound of {@link #savedAt}, over active chunks that are not unsaved. */
  private long oldest;

  private long[] values = {};
  private final double[] iterates = new double[COORDINATES];

  /** An action on the coordinates from {@code from} up to {@code to}, exclusive. */
  @FunctionalInterface
  private interface Range {
    void on(int from, int to);
  }

  CoordinateChunks(int dimension, BallConstraint constraint, Memory memory) {
    this.constraint = constraint;
    discounted = memory.isFinite() ? new double[dimension] : null;
    coins = new double[dimension];
    coinsLow = new double[dimension];
    squares = new double[dimension];
    squaresLow = new double[dimension];
    unprojected = new double[dimension];
    average = new RunningAverage(dimension);
    bound = new double[dimension];
    mass = new double[dimension];
    vectors = symmetric();
    touched = new long[count()];
    active = new BitSet(count());
    unsaved = new BitSet(count());
    savedAt = new long[count()];
  }

  private List<double[]> symmetric() {
    return List.of(coins, coinsLow, squares, squaresLow, unprojected, average.recent, bound, mass);
  }

  /** Returns whether the sides are equal everywhere. */
  boolean isSymmetric() {
    return excess == null;
  }

  /** Keeps the sides apart from now on. */
  void separate() {
    excess = new double[coins.length];
    lowerBound = bound.clone();
    vectors = new ArrayList<>(symmetric());
    vectors.add(excess);
    vectors.add(lowerBound);
    unsaved.or(active);
  }

  /** Returns the factor of a subgradient under the constraint. */
  double share() {
    return constraint.share();
  }

  double coins(int j) {
    return coins[j] + coinsLow[j];
  }

  /** Returns V of the positive side; finite. */
  double upper(int j) {
    return Math.min(squares[j] + squaresLow[j], Double.MAX_VALUE);
  }

  /** Returns V of the negative side; finite. */
  double lower(int j) {
    return excess == null ? upper(j) : Math.min(upper(j) + excess[j], Double.MAX_VALUE);
  }

  /** Returns h of the negative side. */
  double lowerBound(int j) {
    return lowerBound == null ? bound[j] : lowerBound[j];
  }

  /** Sets what the negative side has of its own; the sides must be separate. */
  void setLower(int j, double variance, double boundOnCoins) {
    excess[j] += variance;
    lowerBound[j] = boundOnCoins;
  }

  /** Multiplies S of a coordinate by beta, V by its square, after so many reports of the model. */
  void discount(int j, double beta, double reports) {
    RunningSum.scale(beta, coins, coinsLow, j);
    RunningSum.scale(beta * beta, squares, squaresLow, j);
    if (excess != null) {
      excess[j] *= beta * beta;
    }
    discounted[j] = reports;
  }

  /** Records that a round changed the sums of a coordinate. */
  void touch(int coordinate) {
    int chunk = coordinate / COORDINATES;
    touched[chunk] |= 1L << coordinate;
    active.set(chunk);
    unsaved.set(chunk);
  }

  /** Records that a round changed the sums of all coordinates. */
  void touchAll() {
    Arrays.fill(touched, -1L);
    touched[count() - 1] = -1L >>> (COORDINATES - size(count() - 1));
    active.set(0, count());
    unsaved.set(0, count());
  }

  /** Returns the first {@code count} coordinates and all that have had a coin, ascending. */
  int[] withBets(int[] coordinates, int count) {
    BitSet all = new BitSet();
    forEachActive(
        (from, to) -> IntStream.range(from, to).filter(j -> bound[j] > 0).forEach(all::set));
    Arrays.stream(coordinates, 0, count).forEach(all::set);
    return all.stream().toArray();
  }

  /** Visits the touched coordinates, whose weights the action evaluates; none is touched then. */
  void evaluateTouched(IntConsumer action) {
    for (int chunk = 0; chunk < touched.length; chunk++) {
      long bits = touched[chunk];
      if (bits != 0) {
        for (; bits != 0; bits &= bits - 1) {
          action.accept(start(chunk) + Long.numberOfTrailingZeros(bits));
        }
        touched[chunk] = 0;
        unsaved.set(chunk);
      }
    }
  }

  /** Prepares the average for the next round; see {@link RunningAverage#advance}. */
  void advance(double decay) {
    if (average.isBlockFull()) {
      log.settled(average.shareOfRecent());
      average.advance(decay);
      afterOperation();
    } else {
      average.advance(decay);
    }
  }

  /** Moves the average towards the weights in force. */
  void averagePlayed() {
    double gain = average.gain();
    double[] mean = average.recent;
    forEachActive(
        (from, to) -> {
          for (int j = from; j < to; j++) {
            mean[j] += gain * (constraint.project(unprojected[j], 1) - mean[j]);
          }
        });
    log.moved(gain);
    afterOperation();
  }

  /**
   * Corrects the average for reports that were evaluated at another weight than the one in force.
   *
   * @param share of the round's weight that such reports have
   */
  void averageOther(int j, double weight, double share) {
    double other = constraint.project(weight, 1) - constraint.project(unprojected[j], 1);
    average.recent[j] += average.gain() * share * other;
    unsaved.set(j / COORDINATES);
  }

  /** Has the next chunks saved whose turn it is, and all those that the log would forget. */
  private void afterOperation() {
    long turn = log.end() % CYCLE;
    int first = (int) (turn * count() / CYCLE);
    int next = (int) ((turn + 1) * count() / CYCLE);
    for (int c = active.nextSetBit(first); c >= 0 && c < next; c = active.nextSetBit(c + 1)) {
      unsaved.set(c);
    }
    if (log.end() - oldest >= AveragingLog.CAPACITY) {
      oldest = log.end() - CYCLE;
      for (int c = active.nextSetBit(0); c >= 0; c = active.nextSetBit(c + 1)) {
        if (savedAt[c] < oldest) {
          unsaved.set(c);
        }
      }
    }
  }

  /** Writes the weights in force minus the initial ones. */
  void copyWeights(double[] into) {
    System.arraycopy(unprojected, 0, into, 0, unprojected.length);
    if (constraint.isActive()) {
      forEachActive(
          (from, to) -> {
            for (int j = from; j < to; j++) {
              into[j] = constraint.project(into[j], 1);
            }
          });
    }
  }

  /** Returns the largest magnitude of a weight in force minus the initial one. */
  double largest() {
    double largest = 0;
    for (int c = active.nextSetBit(0); c >= 0; c = active.nextSetBit(c + 1)) {
      for (int j = start(c); j < start(c) + size(c); j++) {
        largest = Math.max(largest, Math.abs(constraint.project(unprojected[j], 1)));
      }
    }
    return largest;
  }

  /** Visits the active chunks, adjacent ones together. */
  private void forEachActive(Range action) {
    int first = active.nextSetBit(0);
    while (first >= 0) {
      int next = active.nextClearBit(first);
      action.on(start(first), Math.min(start(next), coins.length));
      first = active.nextSetBit(next);
    }
  }

  /** Passes everything to a visitor. */
  void visit(LearnerState.Visitor visitor) {
    average.visitNumbers(visitor);
    log.visit(visitor);
    visitor.sections("coordinates", this);
  }

  private static int start(int chunk) {
    return chunk * COORDINATES;
  }

  private int size(int chunk) {
    return Math.min(COORDINATES, coins.length - start(chunk));
  }

  @Override
  public int count() {
    return (coins.length + COORDINATES - 1) / COORDINATES;
  }

  @Override
  public boolean isUnsaved(int section) {
    return unsaved.get(section);
  }

  @Override
  public long[] read(int section) {
    int size = size(section);
    double[] settled = average.settled();
    int more = (settled == null ? 0 : size) + (discounted == null ? 0 : size);
    int length = HEADER + vectors.size() * size + more;
    if (values.length != length) {
      values = new long[length];
    }
    values[0] = log.end();
    values[1] = touched[section];
    int at = HEADER;
    for (double[] vector : vectors) {
      pack(vector, section, at);
      at += size;
    }
    if (settled != null) {
      pack(settled, section, at);
    }
    if (discounted != null) {
      pack(discounted, section, length - size);
    }
    return values;
  }

  private void pack(double[] vector, int section, int at) {
    for (int i = 0; i < size(section); i++) {
      values[at + i] = Double.doubleToRawLongBits(vector[start(section) + i]);
    }
  }

  @Override
  public void saved(int section) {
    unsaved.clear(section);
    savedAt[section] = log.end();
  }

  @Override
  public void restore(int section, long[] stored) {
    int size = size(section);
    double[] settled = average.settled();
    int last = stored.length - (discounted == null ? 0 : size);
    int stride = (last - HEADER) / size;
    int least = vectorsOf(stride);
    boolean hasSettled = stride > least;
    if (least == 0 || last != HEADER + stride * size || (hasSettled && settled == null)) {
      throw new IllegalStateException(
          "A chunk of %d coordinates has %d values".formatted(size, stored.length));
    }
    if (least == ALL_VECTORS && isSymmetric()) {
      separate();
    }
    int at = HEADER;
    for (double[] vector : vectors.subList(0, least)) {
      unpack(stored, at, vector, section);
      at += size;
    }
    if (hasSettled) {
      unpack(stored, at, settled, section);
    }
    if (discounted != null) {
      unpack(stored, last, discounted, section);
    }
    touched[section] = stored[1];
    active.set(section);
    savedAt[section] = stored[0];
    int start = start(section);
    for (int i = 0; i < size; i++) {
      iterates[i] = constraint.project(unprojected[start + i], 1);
    }
    log.repeat(stored[0], iterates, size, average.recent, settled, start);
  }

  /** Returns how many vectors a chunk of so many has, but for the settled averages; or 0. */
  private static int vectorsOf(int stride) {
    for (int vectors : new int[] {FORMER_VECTORS, SYMMETRIC_VECTORS, ALL_VECTORS}) {
      if (stride == vectors || stride == vectors + 1) {
        return vectors;
      }
    }
    return 0;
  }

  private void unpack(long[] stored, int at, double[] vector, int section) {
    for (int i = 0; i < size(section); i++) {
      vector[start(section) + i] = Double.longBitsToDouble(stored[at + i]);
    }
  }
}
