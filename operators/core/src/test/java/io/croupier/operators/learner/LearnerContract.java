package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import io.croupier.operators.math.Vectors;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The properties of every learner. Each learner's test inherits them. */
abstract class LearnerContract<S extends LearnerState> {
  private static final int DIMENSION = 5;

  /** The learner under test, for gradients of norm at most {@code gradientBound}. */
  abstract Learner<S> learner(InitialWeights initialWeights, double gradientBound);

  private Learner<S> learner() {
    return learner(InitialWeights.zero(DIMENSION), 1);
  }

  private TestRun<S> begin() {
    return new TestRun<>(learner());
  }

  private TestRun<S> beginAt(double... initialWeights) {
    return new TestRun<>(learner(InitialWeights.of(initialWeights), 1));
  }

  /** Drift plus noise, so that learners move. */
  static double[] noisyGradient(Random random, int dimension, double scale) {
    double[] g = new double[dimension];
    Arrays.setAll(g, j -> scale * (0.3 * random.nextGaussian() - 0.2));
    return g;
  }

  static void run(TestRun<?> run, Random random, int rounds, double scale) {
    for (int t = 0; t < rounds; t++) {
      double[] g = noisyGradient(random, run.learner.dimension(), scale);
      run.step(1, g, 0.3 * scale * scale);
    }
  }

  private static void assertSame(Iterate actual, Iterate expected) {
    assertThat(actual.round).isEqualTo(expected.round);
    assertThat(actual.weights).isEqualTo(expected.weights);
    assertThat(actual.average).isEqualTo(expected.average);
    assertThat(actual.diagnostics).isEqualTo(expected.diagnostics);
  }

  /** A learner whose reports name any of the last publications, and a store of its state. */
  private static final class LateReports<S extends LearnerState> {
    private static final int PUBLICATIONS = 4;
    private final Random random = new Random(10);
    private final Map<String, byte[]> store = new HashMap<>();
    private TestRun<S> run;
    private long published;

    LateReports(Learner<S> learner) {
      run = new TestRun<>(learner);
      run.publish(0);
    }

    void step() {
      Round round = new Round();
      long oldest = Math.max(0, published - PUBLICATIONS + 1);
      for (long named = oldest; named <= published; named++) {
        if (random.nextBoolean() || named == published) {
          int reports = 1 + random.nextInt(20);
          double[] mean = noisyGradient(random, DIMENSION, 1 / Math.sqrt(reports));
          TestRounds.add(round, named, reports, 1, mean, 0.3);
        }
      }
      run.step(round);
      published += 1 + random.nextInt(2);
      run.publish(published);
      run.forget(published - PUBLICATIONS + 1);
    }

    /** Saves what is new, and removes what is not needed any more. */
    void save() {
      run.state.visit(StateChunks.writer(store::put));
      store.keySet().removeIf(part -> run.learner.isObsolete(run.state, part));
    }

    void restore() {
      run = new TestRun<>(run.learner);
      run.state.visit(StateChunks.reader(store::get));
    }
  }

  /** Bits of weights, average and diagnostics; the store doesn't grow with the rounds. */
  @Test
  void restoredStateContinuesWithLateReports() {
    LateReports<S> uninterrupted = new LateReports<>(learner());
    LateReports<S> stopped = new LateReports<>(learner());
    int early = 0;
    for (int t = 0; t < 120; t++) {
      uninterrupted.step();
      stopped.step();
      assertSame(stopped.run.newest, uninterrupted.run.newest);
      stopped.save();
      if (t % 7 == 0) {
        stopped.restore();
      }
      early = t == 20 ? stopped.store.size() : early;
    }
    assertThat(stopped.store).hasSizeLessThan(early + 20);
    assertThat(uninterrupted.run.newest.weights).isNotEqualTo(new double[DIMENSION]);
  }

  /** A publication that the state doesn't know is that of an earlier release, or a stale one. */
  @Test
  void reportsOfAnUnknownPublicationAreUsed() {
    TestRun<S> run = begin();
    run(run, new Random(11), 40, 1);
    double[] before = run.publish().weights.clone();
    run.step(-1, 3, 1, new double[] {0.5, 0, 0, 0, -0.5}, 0.3);
    assertThat(run.state.round()).isEqualTo(41);
    double[] after = run.publish().weights;
    Arrays.stream(after).forEach(w -> assertThat(w).isFinite());
    if (movesByUnknownReports()) {
      assertThat(after).isNotEqualTo(before);
    }
  }

  /** A bettor by coordinate has no direction: such reports change nothing but the average. */
  boolean movesByUnknownReports() {
    return true;
  }

  @Test
  void refusesAStepBeforeAPublication() {
    TestRun<S> run = begin();
    double[] gradient = new double[DIMENSION];
    run.step(gradient);
    if (recordsPublications()) {
      assertThatIllegalStateException()
          .isThrownBy(() -> run.step(0, 1, 1, gradient, 0))
          .withMessage("Nothing was published since the last step");
    }
  }

  /** Whether bets must be settled by publication. */
  boolean recordsPublications() {
    return true;
  }

  @Test
  void beginsAnewAtAnAverage() {
    TestRun<S> run = beginAt(3, -1, 0, 2, 8);
    double[] average = {1, 2, 3, 4, 5};
    run.learner.beginAt(run.state, average.clone(), 77);
    assertPublishes(run, 77, average);
    run(run, new Random(12), 30, 1);
    Iterate later = run.publish();
    assertThat(later.round).isEqualTo(107);
    for (int j = 0; j < DIMENSION; j++) {
      assertThat(later.average[j]).isNotEqualTo(average[j]).isCloseTo(average[j], within(10.0));
    }
  }

  private static void assertPublishes(TestRun<?> run, long round, double... weights) {
    Iterate iterate = run.publish();
    assertThat(iterate.round).isEqualTo(round);
    assertThat(iterate.weights).isEqualTo(weights);
    assertThat(iterate.average).isEqualTo(weights);
  }

  @Test
  void visitsInAFixedOrderUnderUniqueNames() {
    TestRun<S> run = begin();
    List<String> initial = names(run.state);
    run(run, new Random(2), 1, 1);
    List<String> names = names(run.state);
    assertThat(names).as("vectors may be empty at first").containsSubsequence(initial);
    run(run, new Random(3), 4, 1);
    assertThat(names(run.state)).isEqualTo(names);
  }

  /** The names of a state's parts, but for those of publications and of sections. */
  private static List<String> names(LearnerState state) {
    List<String> names = new ArrayList<>();
    state.visit(StateChunks.writer((name, bytes) -> names.add(name)));
    assertThat(names).doesNotHaveDuplicates();
    names.removeIf(name -> name.contains("-at-") || StateChunks.isSection(name));
    return names;
  }

  @Test
  void beginsAtTheInitialWeights() {
    double[] start = {3, -1, 0, 2, 8};
    TestRun<S> run = beginAt(start);
    assertPublishes(run, 0, start);
    run.step(new double[DIMENSION]);
    assertPublishes(run, 1, start);
  }

  @Test
  void initialWeightsAreAnOffset() {
    double[] start = {3, -1, 0, 2, 8};
    TestRun<S> shifted = beginAt(start);
    TestRun<S> plain = begin();
    run(shifted, new Random(3), 40, 1);
    run(plain, new Random(3), 40, 1);
    Iterate expected = plain.publish();
    Vectors.add(start, expected.weights);
    Vectors.add(start, expected.average);
    Iterate iterate = shifted.publish();
    assertThat(iterate.weights).containsExactly(expected.weights, within(1e-12));
    assertThat(iterate.average).containsExactly(expected.average, within(1e-12));
  }

  @Test
  void movesAgainstTheGradients() {
    TestRun<S> run = begin();
    for (int t = 0; t < 200; t++) {
      run.step(-0.5, 0, 0, 0, 0.5);
    }
    Iterate iterate = run.publish();
    assertThat(iterate.round).isEqualTo(200);
    for (double[] moved : List.of(iterate.weights, iterate.average)) {
      assertThat(moved[0]).isPositive();
      assertThat(moved[4]).isNegative();
    }
  }

  @Test
  void zeroGradientsMoveNothing() {
    TestRun<S> run = begin();
    for (int t = 0; t < 100; t++) {
      run.step(new double[DIMENSION]);
    }
    assertPublishes(run, 100, new double[DIMENSION]);
  }

  /** Gradients up to the largest finite squared norm, and down to an underflowing one. */
  @Test
  void neverNaN() {
    double[][] scales = {
      {1e153}, {1e-200}, {1, 1e153, 1}, {1e-170, 1e150}, {1e153, 1e-320, 0}, {1e8, 0, 1e-8}
    };
    for (double[] sequence : scales) {
      TestRun<S> run = begin();
      Random random = new Random(4);
      for (int t = 0; t < 300; t++) {
        run(run, random, 1, sequence[t % sequence.length]);
        assertFinite(run.publish(), sequence);
      }
      for (int t = 0; t < 300; t++) {
        run.step(sequence[t % sequence.length], 0, 0, 0, 0);
        assertFinite(run.publish(), sequence);
      }
    }
  }

  /** Where weights saturate. */
  double largestWeight() {
    return MagnitudeLearner.LIMIT;
  }

  private void assertFinite(Iterate iterate, double[] scales) {
    for (double[] v : List.of(iterate.weights, iterate.average)) {
      for (double x : v) {
        assertThat(Math.abs(x))
            .as("scales %s", Arrays.toString(scales))
            .isLessThanOrEqualTo(largestWeight());
      }
    }
    iterate.diagnostics.forEach((name, value) -> assertThat(value).as(name).isFinite());
  }

  /**
   * A constant gradient of a linear loss: the weights grow without bound, and are counted there.
   */
  @Test
  void saturationIsCounted() {
    TestRun<S> run = new TestRun<>(learner(InitialWeights.zero(1), 1e-3));
    for (int t = 0; t < saturatingRounds(); t++) {
      run.step(1e-3, new double[] {-saturatingGradient()}, 0);
    }
    Iterate iterate = run.publish();
    assertThat(iterate.diagnostics.get("saturations")).isPositive();
    assertThat(iterate.weights[0]).isPositive().isFinite();
    assertFinite(iterate, new double[] {saturatingGradient()});
  }

  /** Rounds of {@link #saturatingGradient} that reach the bound. */
  int saturatingRounds() {
    return 50_000;
  }

  /** Large enough to reach the bound within {@link #saturatingRounds}. */
  double saturatingGradient() {
    return 1e-3;
  }

  /** But for what a bet and an update need; no vector, unless the learner must keep one. */
  @Test
  void stepsAllocateLittle() {
    int d = 5_000;
    Learner<S> learner = learner(InitialWeights.zero(d), 1);
    S state = learner.initial();
    Round round = new Round();
    double[] mean = noisyGradient(new Random(13), d, 0.01);
    Iterate iterate = new Iterate(d);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    TestRounds.add(round, 0, 1, 1, mean, 0.1);
    long before = 0;
    int warmUp = 200;
    int rounds = 200;
    for (int t = 0; t < warmUp + rounds; t++) {
      if (t == warmUp) {
        before = threads.getThreadAllocatedBytes(id);
      }
      learner.publish(state, t, iterate);
      learner.forget(state, t);
      round.part(0).publication = t;
      learner.step(state, round);
    }
    long bytes = (threads.getThreadAllocatedBytes(id) - before) / rounds;
    assertThat(bytes).isLessThan(5_000L * copies() + (long) keptVectors() * Double.BYTES * d);
  }

  /** How many learners take each step. */
  int copies() {
    return 1;
  }

  /** How many vectors the learner must keep of each publication. */
  int keptVectors() {
    return 0;
  }
}
