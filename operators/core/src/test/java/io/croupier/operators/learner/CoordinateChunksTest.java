package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.operators.report.Specs;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The state of a coordinate-wise learner in a store that receives only chunks that changed. A
 * learner restored from the store continues like the one that was saved, bit for bit.
 */
class CoordinateChunksTest {
  /** Not a multiple of the coordinates of a chunk. */
  private static final int D = 5 * CoordinateChunks.COORDINATES + 7;

  private static CoordinateWise learner(int dimension, double radius, double degree) {
    return learner(dimension, radius, degree, Double.POSITIVE_INFINITY);
  }

  private static CoordinateWise learner(
      int dimension, double radius, double degree, double halfLife) {
    return new CoordinateWise(
        new Prior.Conjugate(1),
        1,
        new BallConstraint(radius),
        new Averaging(degree),
        new Memory(halfLife),
        InitialWeights.zero(dimension));
  }

  /** A learner, its store, and what it receives. Each step follows a publication. */
  private static final class Run {
    private static final int PUBLICATIONS = 3;

    private final CoordinateWise learner;
    private final SplittableRandom random;
    private final boolean isLate;
    private final Map<String, byte[]> store = new HashMap<>();
    private CoordinateWise.State state;
    private long published = -1;
    private boolean mayStep;
    private long bytes;
    private int sections;

    Run(long seed) {
      this(learner(D, Double.POSITIVE_INFINITY, 0), seed, false);
    }

    Run(CoordinateWise learner, long seed, boolean isLate) {
      this.learner = learner;
      this.isLate = isLate;
      random = new SplittableRandom(seed);
      state = learner.initial();
    }

    void sparse(int nonZeros) {
      Round round = new Round();
      publishUnlessPublished();
      if (isLate && published > 0 && random.nextInt(8) == 0) {
        addSparse(round, random.nextLong(Math.max(0, published - PUBLICATIONS + 1), published), 2);
      }
      addSparse(round, published, nonZeros);
      step(round);
    }

    private void addSparse(Round round, long named, int nonZeros) {
      int[] coordinates =
          random.ints(nonZeros, 0, learner.dimension()).sorted().distinct().toArray();
      double[] values = new double[coordinates.length];
      Arrays.setAll(values, i -> random.nextDouble() - 0.3);
      TestRounds.addSparse(round, named, coordinates, values);
    }

    void dense() {
      publishUnlessPublished();
      double[] values = new double[learner.dimension()];
      Arrays.setAll(values, i -> random.nextDouble() - 0.6);
      Round round = new Round();
      TestRounds.add(round, published, 1, 1, values, 0);
      step(round);
    }

    private void publishUnlessPublished() {
      if (!mayStep) {
        publish();
      }
    }

    private void step(Round round) {
      learner.step(state, round);
      mayStep = false;
    }

    Iterate publish() {
      Iterate iterate = new Iterate(learner.dimension());
      learner.publish(state, ++published, iterate);
      learner.forget(state, published - PUBLICATIONS + 1);
      mayStep = true;
      return iterate;
    }

    void save() {
      bytes = 0;
      sections = 0;
      state.visit(
          StateChunks.writer(
              (name, value) -> {
                store.put(name, value);
                bytes += value.length;
                sections += isOfCoordinates(name) ? 1 : 0;
              }));
      store.keySet().removeIf(name -> learner.isObsolete(state, name));
    }

    void restore() {
      state = learner.initial();
      state.visit(StateChunks.reader(store::get));
    }
  }

  private static boolean isOfCoordinates(String name) {
    return name.startsWith("coordinates:");
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
  @Tag("ci")
  @ParameterizedTest
  @CsvSource({"0.01, 0, false, Infinity", "0.01, 3, true, 700"})
  void aRestoredLearnerContinuesBitForBit(
      double radius, double degree, boolean isLate, double halfLife) {
    assertContinues(radius, degree, isLate, halfLife);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"Infinity, 0, true, Infinity", "Infinity, 3, false, 3000", "0.01, 3, true, Infinity"})
  void otherLearnersContinueBitForBit(
      double radius, double degree, boolean isLate, double halfLife) {
    assertContinues(radius, degree, isLate, halfLife);
  }

  private static void assertContinues(
      double radius, double degree, boolean isLate, double halfLife) {
    CoordinateWise learner = learner(D, radius, degree, halfLife);
    Run straight = new Run(learner, 1, isLate);
    Run stopped = new Run(learner, 1, isLate);
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
    assertThat(straight.state.coordinates().isSymmetric()).isEqualTo(!isLate);
    assertThat(restores).isGreaterThan(100);
  }

  @Tag("ci")
  @Test
  void aSaveWritesTheChunksOfAReport() {
    int d = 1_000_000;
    Run run = new Run(learner(d, Double.POSITIVE_INFINITY, 0), 3, false);
    run.publish();
    run.save();
    assertThat(run.bytes).as("of a model that has learned nothing").isLessThan(1_000);
    run.dense();
    run.publish();
    run.save();
    assertThat(run.bytes).as("after a dense round").isGreaterThan(8L * 8 * d);

    int nonZeros = 50;
    // Two longs, and eight doubles for each coordinate.
    int chunk = 8 * (2 + 8 * CoordinateChunks.COORDINATES);
    int chunks = d / CoordinateChunks.COORDINATES;
    int others = 4_000;
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
    Run run = new Run(4);
    Run same = new Run(4);
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
    CoordinateWise learner = learner(D, Double.POSITIVE_INFINITY, 1);
    Run straight = new Run(learner, 5, false);
    Run stopped = new Run(learner, 5, false);
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
    Run run = new Run(6);
    run.dense();
    run.publish();
    run.save();
    run.store.keySet().removeIf(name -> name.startsWith("coordinates"));
    for (int i = 0; i < CoordinateChunks.CYCLE; i++) {
      run.sparse(0);
      run.publish();
      run.save();
      assertThat(run.sections).isLessThanOrEqualTo(1);
    }
    Iterate expected = run.publish();
    run.restore();
    assertSame(run.publish(), expected);
    assertThat(run.store.keySet().stream().filter(name -> name.startsWith("coordinates")))
        .hasSize((D + CoordinateChunks.COORDINATES - 1) / CoordinateChunks.COORDINATES);
  }

  /** As release 0.2.0 saved it: sections without bounds and masses. */
  private static Map<String, byte[]> inSectionsOfSixVectors(Run run) {
    run.save();
    Map<String, byte[]> store = new HashMap<>(run.store);
    store.replaceAll((name, bytes) -> isOfCoordinates(name) ? withoutBounds(name, bytes) : bytes);
    return store;
  }

  private static byte[] withoutBounds(String name, byte[] section) {
    int number = Integer.parseInt(name.substring(name.indexOf(':') + 1));
    int size = Math.min(CoordinateChunks.COORDINATES, D - number * CoordinateChunks.COORDINATES);
    int vector = Long.BYTES * size;
    int kept = 2 * Long.BYTES + 6 * vector;
    byte[] former = Arrays.copyOf(section, section.length - 2 * vector);
    System.arraycopy(section, kept + 2 * vector, former, kept, former.length - kept);
    return former;
  }

  @ParameterizedTest
  @ValueSource(ints = {80, 40_000})
  void averagesOfFormerStatesAreRead(int rounds) {
    Run run = new Run(learner(D, 2, 3), 7, false);
    for (int t = 0; t < rounds; t++) {
      run.sparse(3);
      if (t % 9 == 0) {
        run.save();
      }
    }
    double[] average = run.publish().average;
    assertThat(average).isNotEqualTo(new double[D]);
    assertThat(
            Learners.formerAverage(
                Specs.of(D, 1, "coordinate_wise { radius: 2 }"), inSectionsOfSixVectors(run)::get))
        .isEqualTo(average);
  }

  @Test
  void aChunkOfAnotherSizeIsRefused() {
    Run run = new Run(8);
    run.sparse(20);
    run.save();
    run.store.computeIfPresent("coordinates:0", (name, bytes) -> new byte[bytes.length - 8]);
    assertThatThrownBy(run::restore)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("A chunk of 64 coordinates has 513 values");
  }

  /** The log doesn't reach back to a chunk that it has outlived. */
  @Test
  void anAverageThatTheLogDoesNotCoverIsRefused() {
    Run run = new Run(9);
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
