package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
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

  /** Drift plus noise, so that learners move. */
  static double[] noisyGradient(Random random, int dimension, double scale) {
    double[] g = new double[dimension];
    for (int j = 0; j < dimension; j++) {
      g[j] = scale * (0.3 * random.nextGaussian() - 0.2);
    }
    return g;
  }

  static <S extends LearnerState> void run(
      Learner<S> learner, S state, Random random, int rounds, double scale) {
    run(learner, state, random, rounds, scale, 1);
  }

  private static <S extends LearnerState> void run(
      Learner<S> learner, S state, Random random, int rounds, double scale, double bound) {
    for (int t = 0; t < rounds; t++) {
      double[] g = noisyGradient(random, learner.dimension(), scale);
      learner.step(state, TestRounds.ofBound(bound, learner, state, g, 0.3 * scale * scale));
    }
  }

  private static <S extends LearnerState> Iterate published(Learner<S> learner, S state) {
    Iterate iterate = new Iterate(learner.dimension());
    TestRounds.publish(learner, state, iterate);
    return iterate;
  }

  @Test
  void restoredStateContinuesLikeAnUninterruptedRun() {
    Learner<S> learner = learner();
    S uninterrupted = learner.initial();
    run(learner, uninterrupted, new Random(1), 60, 1);

    S stopped = learner.initial();
    Random random = new Random(1);
    run(learner, stopped, random, 23, 1);
    S restored = learner.initial();
    Saved saved = new Saved();
    stopped.visit(saved);
    restored.visit(new Restorer(saved));
    run(learner, restored, random, 37, 1);

    assertThat(restored.round()).isEqualTo(60);
    assertSameState(restored, uninterrupted);
    assertSame(published(learner, restored), published(learner, uninterrupted));
  }

  private static void assertSameState(LearnerState restored, LearnerState uninterrupted) {
    Saved expected = new Saved();
    uninterrupted.visit(expected);
    Saved actual = new Saved();
    restored.visit(actual);
    assertThat(actual.numbers).isEqualTo(expected.numbers);
    assertThat(actual.vectors.keySet()).isEqualTo(expected.vectors.keySet());
    expected.vectors.forEach((name, v) -> assertThat(actual.vectors.get(name)).isEqualTo(v));
    assertThat(actual.vectorsOfCounts.keySet()).isEqualTo(expected.vectorsOfCounts.keySet());
    expected.vectorsOfCounts.forEach(
        (name, v) -> assertThat(actual.vectorsOfCounts.get(name)).isEqualTo(v));
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

    private final Learner<S> learner;
    private final Random random = new Random(10);
    private final Map<String, byte[]> store = new HashMap<>();
    private final Iterate iterate;
    private S state;
    private long published;

    LateReports(Learner<S> learner) {
      this.learner = learner;
      state = learner.initial();
      iterate = new Iterate(learner.dimension());
      learner.publish(state, 0, iterate);
    }

    void step() {
      Round round = new Round();
      long oldest = Math.max(0, published - PUBLICATIONS + 1);
      for (long named = oldest; named <= published; named++) {
        if (random.nextBoolean() || named == published) {
          int reports = 1 + random.nextInt(20);
          double[] mean = noisyGradient(random, learner.dimension(), 1 / Math.sqrt(reports));
          TestRounds.add(round, named, reports, 1, mean, 0.3);
        }
      }
      learner.step(state, round);
      published += 1 + random.nextInt(2);
      learner.publish(state, published, iterate);
      learner.forget(state, published - PUBLICATIONS + 1);
    }

    /** Saves what is new, and removes what is not needed any more. */
    void save() {
      state.visit(StateChunks.writer(store::put));
      store.keySet().removeIf(part -> learner.isObsolete(state, part));
    }

    void restore() {
      state = learner.initial();
      state.visit(StateChunks.reader(store::get));
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
      stopped.save();
      if (t % 7 == 0) {
        stopped.restore();
      }
      assertSame(stopped.iterate, uninterrupted.iterate);
      early = t == 20 ? stopped.store.size() : early;
    }
    assertThat(stopped.store).hasSizeLessThan(early + 20);
    assertThat(stopped.iterate.weights).isNotEqualTo(new double[DIMENSION]);
  }

  /** A publication that the state doesn't know is that of an earlier release, or a stale one. */
  @Test
  void reportsOfAnUnknownPublicationAreUsed() {
    Learner<S> learner = learner();
    S state = learner.initial();
    run(learner, state, new Random(11), 40, 1);
    double[] before = published(learner, state).weights.clone();
    Round round = new Round();
    TestRounds.add(round, -1, 3, 1, new double[] {0.5, 0, 0, 0, -0.5}, 0.3);
    learner.step(state, round);
    assertThat(state.round()).isEqualTo(41);
    double[] after = published(learner, state).weights;
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
    Learner<S> learner = learner();
    S state = learner.initial();
    Round round = TestRounds.fresh(learner, state, new double[DIMENSION], 0);
    learner.step(state, round);
    if (recordsPublications()) {
      assertThatThrownBy(() -> learner.step(state, round))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Nothing was published since the last step");
    }
  }

  /** Whether bets must be settled by publication. */
  boolean recordsPublications() {
    return true;
  }

  @Test
  void beginsAnewAtAnAverage() {
    Learner<S> learner = learner(InitialWeights.of(new double[] {3, -1, 0, 2, 8}), 1);
    S state = learner.initial();
    double[] average = {1, 2, 3, 4, 5};
    learner.beginAt(state, average.clone(), 77);
    Iterate iterate = published(learner, state);
    assertThat(iterate.round).isEqualTo(77);
    assertThat(iterate.weights).isEqualTo(average);
    assertThat(iterate.average).isEqualTo(average);
    run(learner, state, new Random(12), 30, 1);
    Iterate later = published(learner, state);
    assertThat(later.round).isEqualTo(107);
    for (int j = 0; j < DIMENSION; j++) {
      assertThat(later.average[j]).isNotEqualTo(average[j]).isCloseTo(average[j], within(10.0));
    }
  }

  @Test
  void visitsInAFixedOrderUnderUniqueNames() {
    S state = learner().initial();
    List<String> names = new ArrayList<>();
    state.visit(new Saved(names));
    List<String> again = new ArrayList<>();
    run(learner(), state, new Random(2), 5, 1);
    state.visit(new Saved(again));
    assertThat(again).doesNotHaveDuplicates();
    again.removeIf(name -> name.contains("-at-"));
    assertThat(again).as("but for publications").isEqualTo(names);
  }

  @Test
  void beginsAtTheInitialWeights() {
    double[] start = {3, -1, 0, 2, 8};
    Learner<S> learner = learner(InitialWeights.of(start), 1);
    S state = learner.initial();
    Iterate iterate = published(learner, state);
    assertThat(iterate.round).isZero();
    assertThat(iterate.weights).isEqualTo(start);
    assertThat(iterate.average).isEqualTo(start);

    learner.step(state, TestRounds.fresh(learner, state, new double[DIMENSION], 0));
    assertThat(published(learner, state).weights).isEqualTo(start);
  }

  @Test
  void initialWeightsAreAnOffset() {
    double[] start = {3, -1, 0, 2, 8};
    Learner<S> shifted = learner(InitialWeights.of(start), 1);
    Learner<S> plain = learner();
    S shiftedState = shifted.initial();
    S plainState = plain.initial();
    run(shifted, shiftedState, new Random(3), 40, 1);
    run(plain, plainState, new Random(3), 40, 1);
    Iterate a = published(shifted, shiftedState);
    Iterate b = published(plain, plainState);
    for (int j = 0; j < DIMENSION; j++) {
      assertThat(a.weights[j]).isCloseTo(start[j] + b.weights[j], within(1e-12));
      assertThat(a.average[j]).isCloseTo(start[j] + b.average[j], within(1e-12));
    }
  }

  @Test
  void movesAgainstTheGradients() {
    Learner<S> learner = learner();
    S state = learner.initial();
    for (int t = 0; t < 200; t++) {
      learner.step(state, TestRounds.fresh(learner, state, new double[] {-0.5, 0, 0, 0, 0.5}, 0));
    }
    Iterate iterate = published(learner, state);
    assertThat(iterate.round).isEqualTo(200);
    assertThat(iterate.weights[0]).isPositive();
    assertThat(iterate.weights[4]).isNegative();
    assertThat(iterate.average[0]).isPositive();
    assertThat(iterate.average[4]).isNegative();
  }

  @Test
  void zeroGradientsMoveNothing() {
    Learner<S> learner = learner();
    S state = learner.initial();
    for (int t = 0; t < 100; t++) {
      learner.step(state, TestRounds.fresh(learner, state, new double[DIMENSION], 0));
    }
    Iterate iterate = published(learner, state);
    assertThat(iterate.weights).containsOnly(0);
    assertThat(iterate.average).containsOnly(0);
  }

  /** Gradients up to the largest finite squared norm, and down to an underflowing one. */
  @Test
  void neverNaN() {
    double[][] scales = {
      {1e153}, {1e-200}, {1, 1e153, 1}, {1e-170, 1e150}, {1e153, 1e-320, 0}, {1e8, 0, 1e-8}
    };
    for (double[] sequence : scales) {
      Learner<S> learner = learner();
      S state = learner.initial();
      Random random = new Random(4);
      for (int t = 0; t < 300; t++) {
        run(learner, state, random, 1, sequence[t % sequence.length]);
        assertFinite(published(learner, state), sequence);
      }
      for (int t = 0; t < 300; t++) {
        double[] g = new double[DIMENSION];
        g[0] = sequence[t % sequence.length];
        learner.step(state, TestRounds.fresh(learner, state, g, 0));
        assertFinite(published(learner, state), sequence);
      }
    }
  }

  /**
   * Weights have the unit of {@link #unitOfWeights}: gradients in another unit change nothing else.
   */
  @Test
  void scalesWithTheUnitOfTheGradients() {
    for (int exponent : new int[] {-40, -3, 5, 40}) {
      double scale = Math.scalb(1.0, exponent);
      Learner<S> plain = learner();
      Learner<S> scaled = learner(InitialWeights.zero(DIMENSION), scale);
      S plainState = plain.initial();
      S scaledState = scaled.initial();
      run(plain, plainState, new Random(5), 100, 1);
      run(scaled, scaledState, new Random(5), 100, scale, scale);
      Iterate a = published(plain, plainState);
      Iterate b = published(scaled, scaledState);
      for (int j = 0; j < DIMENSION; j++) {
        double expected = a.weights[j] * unitOfWeights(scale);
        assertThat(b.weights[j]).isCloseTo(expected, within(1e-10 * Math.abs(expected)));
        double average = a.average[j] * unitOfWeights(scale);
        assertThat(b.average[j]).isCloseTo(average, within(1e-10 * Math.abs(average)));
      }
    }
  }

  /** The unit of weights if gradients are in units of {@code scale}; the loss has no unit. */
  double unitOfWeights(double scale) {
    return 1 / scale;
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
    Learner<S> learner = learner(InitialWeights.zero(1), 1e-3);
    S state = learner.initial();
    for (int t = 0; t < saturatingRounds(); t++) {
      learner.step(
          state, TestRounds.ofBound(1e-3, learner, state, new double[] {-saturatingGradient()}, 0));
    }
    Iterate iterate = published(learner, state);
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

  /** Every number and vector of a state, by name. */
  private static class Saved implements LearnerState.Visitor {
    private final List<String> names;
    private final Map<String, Number> numbers = new HashMap<>();
    private final Map<String, double[]> vectors = new HashMap<>();
    private final Map<String, long[]> vectorsOfCounts = new HashMap<>();

    Saved() {
      this(new ArrayList<>());
    }

    Saved(List<String> names) {
      this.names = names;
    }

    @Override
    public double scalar(String name, double value) {
      names.add(name);
      numbers.put(name, value);
      return value;
    }

    @Override
    public long count(String name, long value) {
      names.add(name);
      numbers.put(name, value);
      return value;
    }

    @Override
    public void vector(String name, double[] values) {
      names.add(name);
      vectors.put(name, values.clone());
    }

    @Override
    public void counts(String name, long[] values) {
      names.add(name);
      vectorsOfCounts.put(name, values.clone());
    }
  }

  private record Restorer(Saved saved) implements LearnerState.Visitor {
    @Override
    public double scalar(String name, double value) {
      return saved.numbers.get(name).doubleValue();
    }

    @Override
    public long count(String name, long value) {
      return saved.numbers.get(name).longValue();
    }

    @Override
    public void vector(String name, double[] values) {
      System.arraycopy(saved.vectors.get(name), 0, values, 0, values.length);
    }

    @Override
    public void counts(String name, long[] values) {
      System.arraycopy(saved.vectorsOfCounts.get(name), 0, values, 0, values.length);
    }
  }
}
