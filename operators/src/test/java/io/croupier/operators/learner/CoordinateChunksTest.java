package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The state of a coordinate-wise learner in a store that receives only chunks that changed. A
 * learner restored from the store continues like the one that was saved, bit for bit.
 */
class CoordinateChunksTest {
  /** Not a multiple of the coordinates of a chunk. */
  private static final int D = 5 * CoordinateChunks.COORDINATES + 7;

  private static CoordinateWise learner(int dimension, double radius, double degree) {
    return new CoordinateWise(
        new Potential(new Prior.Conjugate(1), 0.2),
        1,
        new BallConstraint(radius, 1),
        new Averaging(degree),
        InitialWeights.zero(dimension));
  }

  /** A learner, its store, and what it receives. */
  private static final class Run {
    private final CoordinateWise learner;
    private final SplittableRandom random;
    private final Round round;
    private final Map<String, byte[]> store = new HashMap<>();
    private CoordinateWise.State state;
    private long bytes;
    private int puts;

    Run(CoordinateWise learner, long seed) {
      this.learner = learner;
      random = new SplittableRandom(seed);
      round = new Round(learner.dimension());
      state = learner.initial();
    }

    void sparse(int nonZeros) {
      int d = learner.dimension();
      int[] coordinates = random.ints(nonZeros, 0, d).distinct().toArray();
      round.sparse(coordinates, coordinates.length);
      for (int j : coordinates) {
        round.subgradient[j] = random.nextDouble() - 0.3;
      }
      learner.step(state, round);
    }

    void dense() {
      round.dense();
      for (int j = 0; j < round.subgradient.length; j++) {
        round.subgradient[j] = random.nextDouble() - 0.6;
      }
      learner.step(state, round);
    }

    Iterate publish() {
      Iterate iterate = new Iterate(learner.dimension());
      learner.publish(state, iterate);
      return iterate;
    }

    void save() {
      bytes = 0;
      puts = 0;
      state.visit(
          StateChunks.writer(
              (name, value) -> {
                store.put(name, value);
                bytes += value.length;
                puts++;
              }));
    }

    void restore() {
      state = learner.initial();
      learner.restore(state, StateChunks.reader(store::get));
    }
  }

  private static void assertSame(Iterate actual, Iterate expected) {
    assertThat(bits(actual.weights)).isEqualTo(bits(expected.weights));
    assertThat(bits(actual.average)).isEqualTo(bits(expected.average));
    assertThat(actual.diagnostics).isEqualTo(expected.diagnostics);
  }

  private static long[] bits(double[] values) {
    return Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
  }

  /**
   * More publications than the log holds and more rounds than two blocks of the average, with saves
   * and restores between and after publications, sparse rounds and a few dense ones.
   */
  @ParameterizedTest
  @CsvSource({"Infinity, 0", "Infinity, 3", "0.01, 0", "0.01, 3"})
  void aRestoredLearnerContinuesBitForBit(double radius, double degree) {
    CoordinateWise learner = learner(D, radius, degree);
    Run straight = new Run(learner, 1);
    Run stopped = new Run(learner, 1);
    SplittableRandom schedule = new SplittableRandom(2);
    int restores = 0;
    for (int i = 0; i < 3 * AveragingLog.CAPACITY; i++) {
      int rounds = schedule.nextInt(12);
      boolean isDense = schedule.nextInt(2000) == 0;
      // The last chunks are touched late, and rarely.
      int nonZeros = schedule.nextInt(3);
      for (Run run : List.of(straight, stopped)) {
        for (int t = 0; t < rounds; t++) {
          run.sparse(nonZeros);
        }
        if (isDense) {
          run.dense();
        }
      }
      if (schedule.nextInt(3) == 0) {
        stopped.save();
        if (schedule.nextInt(50) == 0) {
          stopped.restore();
          restores++;
        }
      }
      Iterate expected = straight.publish();
      Iterate actual = stopped.publish();
      if (i % 64 == 0) {
        assertSame(actual, expected);
      }
      stopped.save();
      if (schedule.nextInt(100) == 0) {
        stopped.restore();
        restores++;
      }
    }
    assertSame(stopped.publish(), straight.publish());
    assertThat(straight.state.round()).isGreaterThan(2L * RunningAverage.BLOCK);
    assertThat(restores).isGreaterThan(100);
  }

  @Test
  void aSaveWritesTheChunksOfAReport() {
    int d = 1_000_000;
    Run run = new Run(learner(d, Double.POSITIVE_INFINITY, 0), 3);
    run.publish();
    run.save();
    assertThat(run.bytes).as("of a model that has learned nothing").isLessThan(1_000);
    run.dense();
    run.publish();
    run.save();
    assertThat(run.bytes).as("after a dense round").isGreaterThan(6L * 8 * d);

    int nonZeros = 50;
    // Two longs, and six doubles for each coordinate.
    int chunk = 8 * (2 + 6 * CoordinateChunks.COORDINATES);
    int chunks = d / CoordinateChunks.COORDINATES;
    int others = 2_000;
    int turn = chunks / CoordinateChunks.CYCLE + 1;
    for (int i = 0; i < 10; i++) {
      run.sparse(nonZeros);
      run.publish();
      run.save();
      assertThat(run.bytes).isBetween(40L * chunk, (nonZeros + turn) * (long) chunk + others);
    }
  }

  /** The weights of a report are not evaluated yet. */
  @Test
  void aSaveBetweenPublicationsKeepsWhatIsToEvaluate() {
    Run run = new Run(learner(D, Double.POSITIVE_INFINITY, 0), 4);
    Run same = new Run(learner(D, Double.POSITIVE_INFINITY, 0), 4);
    for (Run each : List.of(run, same)) {
      each.publish();
      each.sparse(20);
      each.save();
    }
    run.restore();
    assertSame(run.publish(), same.publish());
    run.save();
    run.restore();
    assertSame(run.publish(), same.publish());
    assertThat(run.publish().weights).isNotEqualTo(new double[D]);
  }

  /** Chunks whose averages the log no longer covers are saved, even without their turn. */
  @Test
  void aLongTimeWithoutASaveLosesNothing() {
    Run straight = new Run(learner(D, Double.POSITIVE_INFINITY, 1), 5);
    Run stopped = new Run(learner(D, Double.POSITIVE_INFINITY, 1), 5);
    for (int phase = 0; phase < 3; phase++) {
      for (Run run : List.of(straight, stopped)) {
        run.dense();
        run.publish();
        run.save();
        for (int i = 0; i < AveragingLog.CAPACITY + phase; i++) {
          run.sparse(1);
          run.publish();
        }
        run.save();
      }
      stopped.restore();
      assertSame(stopped.publish(), straight.publish());
    }
  }

  /** A model that nothing touches any more is saved in full during each cycle. */
  @Test
  void everyChunkHasItsTurn() {
    Run run = new Run(learner(D, Double.POSITIVE_INFINITY, 0), 6);
    run.dense();
    run.publish();
    run.save();
    Round nothing = new Round(D);
    nothing.sparse(new int[0], 0);
    run.store.keySet().removeIf(name -> name.startsWith("coordinates"));
    for (int i = 0; i < CoordinateChunks.CYCLE; i++) {
      run.learner.step(run.state, nothing);
      run.publish();
      run.save();
      assertThat(run.puts).isLessThan(16);
    }
    Iterate expected = run.publish();
    run.restore();
    assertSame(run.publish(), expected);
    assertThat(run.store.keySet().stream().filter(name -> name.startsWith("coordinates")))
        .hasSize((D + CoordinateChunks.COORDINATES - 1) / CoordinateChunks.COORDINATES);
  }

  /** As release 0.1.0 saved it. */
  private static Map<String, byte[]> inWholeVectors(Run run, boolean isTouched) {
    CoordinateChunks chunks = run.state.coordinates();
    Map<String, byte[]> store = new HashMap<>();
    run.state.visit(new NumbersOnly(StateChunks.writer(store::put)));
    LearnerState.Visitor writer = StateChunks.writer(store::put);
    writer.count("touched", isTouched ? 1 : 0);
    writer.vector("coins", chunks.coins);
    writer.vector("coins-low", chunks.coinsLow);
    writer.vector("squares", chunks.squares);
    writer.vector("squares-low", chunks.squaresLow);
    writer.vector("unprojected", chunks.unprojected);
    chunks.average.visitVectors(writer);
    store.remove("averaging-operations");
    return store;
  }

  /** Leaves out everything but numbers. */
  private record NumbersOnly(LearnerState.Visitor visitor) implements LearnerState.Visitor {
    @Override
    public double scalar(String name, double value) {
      return visitor.scalar(name, value);
    }

    @Override
    public long count(String name, long value) {
      return visitor.count(name, value);
    }

    @Override
    public void vector(String name, double[] values) {}

    @Override
    public void counts(String name, long[] values) {}

    @Override
    public void sections(String name, Sections sections) {}
  }

  @ParameterizedTest
  @CsvSource({"80, true", "80, false", "40000, true", "40000, false"})
  void aStateInWholeVectorsBecomesChunks(int rounds, boolean publishBefore) {
    CoordinateWise learner = learner(D, 2, 3);
    Run straight = new Run(learner, 7);
    for (int t = 0; t < rounds; t++) {
      straight.round.sparse(new int[] {t % 70}, 1);
      straight.round.subgradient[t % 70] = t % 3 - 1.2;
      learner.step(straight.state, straight.round);
      if (t % 9 == 0) {
        straight.publish();
      }
    }
    if (publishBefore) {
      straight.publish();
    }
    Run restored = new Run(learner, 7);
    restored.store.putAll(inWholeVectors(straight, !publishBefore));
    List<String> former = List.copyOf(restored.store.keySet());
    restored.restore();
    restored.save();
    former.stream().filter(learner::isObsolete).forEach(restored.store::remove);
    assertThat(restored.store.keySet())
        .noneMatch(name -> name.contains("/"))
        .contains("coordinates:0", "coordinates:1")
        .as("chunks that nothing has touched")
        .doesNotContain("coordinates:2", "coordinates:5");
    restored.restore();

    for (int i = 0; i < 20; i++) {
      straight.sparse(10);
      restored.sparse(10);
      assertSame(restored.publish(), straight.publish());
      restored.save();
      restored.restore();
    }
  }

  @Test
  void aChunkOfAnotherSizeIsRefused() {
    CoordinateWise learner = learner(D, Double.POSITIVE_INFINITY, 0);
    Run run = new Run(learner, 8);
    run.sparse(20);
    run.save();
    run.store.computeIfPresent("coordinates:0", (name, bytes) -> new byte[bytes.length - 8]);
    assertThatThrownBy(run::restore)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("A chunk of 64 coordinates has 385 values");
  }

  /** The log doesn't reach back to a chunk that it has outlived. */
  @Test
  void anAverageThatTheLogDoesNotCoverIsRefused() {
    CoordinateWise learner = learner(D, Double.POSITIVE_INFINITY, 0);
    Run run = new Run(learner, 9);
    run.sparse(20);
    run.publish();
    run.save();
    byte[] early = run.store.get("coordinates:0");
    for (int i = 0; i <= AveragingLog.CAPACITY; i++) {
      run.sparse(20);
      run.publish();
    }
    run.save();
    run.store.put("coordinates:0", early);
    assertThatThrownBy(run::restore)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("The state has averages as of operation 1, and operations up to");
  }
}
