package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CoordinateWiseTest extends LearnerContract<CoordinateWise.State> {
  private static final int D = 200;

  @Override
  Learner<CoordinateWise.State> learner(InitialWeights initialWeights, double gradientBound) {
    return learner(initialWeights, gradientBound, BallConstraint.NONE, 0);
  }

  private static TestRun<CoordinateWise.State> begin(int dimension) {
    return new TestRun<>(learner(InitialWeights.zero(dimension), 1, BallConstraint.NONE, 0));
  }

  private static CoordinateWise learner(
      InitialWeights initialWeights,
      double gradientBound,
      BallConstraint constraint,
      double averagingDegree) {
    return new CoordinateWise(
        new Prior.Conjugate(gradientBound * gradientBound),
        1,
        constraint,
        new Averaging(averagingDegree),
        initialWeights);
  }

  @Override
  boolean movesByUnknownReports() {
    return false;
  }

  @Override
  int keptVectors() {
    return 4;
  }

  /** A round of one report with {@code count} distinct coordinates that names a publication. */
  private static Round sparse(Random random, long publication, int count) {
    Round round = new Round();
    int[] coordinates = random.ints(0, D).distinct().limit(count).sorted().toArray();
    double[] values = new double[count];
    Arrays.setAll(values, i -> random.nextGaussian() - 0.5);
    TestRounds.addSparse(round, publication, coordinates, values);
    return round;
  }

  private static void assertSame(Iterate actual, Iterate expected) {
    assertThat(actual.weights).isEqualTo(expected.weights);
    assertThat(actual.average).isEqualTo(expected.average);
    assertThat(actual.diagnostics).isEqualTo(expected.diagnostics);
  }

  /**
   * A coordinate that no report touches keeps everything; a dense report of 0 there is a coin that
   * raises no sum. One report a round: the weight of a coordinate is the same.
   */
  @Test
  void aSparseRoundIsADenseOneWithZeros() {
    CoordinateWise learner = learner(InitialWeights.zero(D), 1, BallConstraint.NONE, 2);
    var sparse = new TestRun<>(learner);
    var dense = new TestRun<>(learner);
    Random random = new Random(1);
    for (int t = 0; t < 500; t++) {
      assertSame(sparse.publish(), dense.publish());
      Round round = sparse(random, t, random.nextInt(20));
      double[] values = new double[D];
      round.part(0).addTo(values, 1);
      sparse.step(round);
      dense.step(values);
    }
  }

  /** Of 100 reports one touches the coordinate: its coin is bounded as that of one report. */
  @Test
  void onlyReportsThatTouchACoordinateCount() {
    var run = begin(2);
    run.publish();
    Round round = new Round();
    Round.Part part = TestRounds.addSparse(round, 0, new int[] {0, 1}, new double[] {-0.7, -30});
    part.weight = 100;
    part.squaredWeight = 100;
    part.touching = new double[] {1, 100};
    part.touchingSquared = new double[] {1, 100};
    run.step(round);
    CoordinateChunks chunks = run.state.coordinates();
    assertThat(chunks.coins(0)).isCloseTo(0.007, within(1e-15));
    assertThat(chunks.bound[0]).as("5/2 G / 100").isCloseTo(0.025, within(1e-15));
    assertThat(chunks.coins(1)).isCloseTo(0.3, within(1e-15));
    assertThat(chunks.bound[1]).as("the coin").isCloseTo(0.3, within(1e-15));
  }

  @Test
  void publishingAgainChangesNothing() {
    CoordinateWise learner = learner(InitialWeights.zero(D), 1, BallConstraint.NONE, 0);
    var run = new TestRun<>(learner);
    Random random = new Random(2);
    Iterate again = new Iterate(D);
    run.publish();
    for (int t = 0; t < 50; t++) {
      run.step(sparse(random, t, 10));
      run.publish();
      run.forget(Long.MAX_VALUE);
      learner.publish(run.state, t + 1, again);
      assertSame(again, run.newest);
    }
  }

  /** One pair of V and h a coordinate suffices while no report is late. */
  @Test
  void theSidesSeparateWithTheFirstLateReport() {
    var run = begin(1);
    for (int t = 0; t < 20; t++) {
      run.publish(t);
      run.step(t, 4, 1, new double[] {-0.5}, 0);
    }
    CoordinateChunks chunks = run.state.coordinates();
    assertThat(chunks.isSymmetric()).isTrue();
    run.publish(20);
    run.step(17, 4, 1, new double[] {-0.5}, 0);
    assertThat(chunks.isSymmetric()).isFalse();
    assertThat(chunks.upper(0)).as("c a > 0: it costs").isGreaterThan(21 * 0.25);
    assertThat(chunks.lower(0)).isNotEqualTo(chunks.upper(0));
  }

  /** Blocks of the average end between publications; the weights played until then are included. */
  @Test
  void averagesAcrossTheBlocksOfTheAverage() {
    var run = begin(1);
    RunningSum sum = new RunningSum();
    int rounds = 5 * RunningAverage.BLOCK / 2;
    double largest = 0;
    for (int t = 1; t <= rounds; t++) {
      double weight = run.publish().weights[0];
      sum.add(weight);
      largest = Math.max(largest, Math.abs(weight));
      run.step(t % 3 == 0 ? 0.9 : -0.5);
    }
    assertThat(largest).isPositive();
    assertThat(run.publish().average[0]).isCloseTo(sum.value() / rounds, within(1e-11 * largest));
  }

  /** Saving doesn't change a state. */
  @Test
  void savingBetweenPublicationsCountsNothingTwice() {
    var run = new TestRun<>(learner(InitialWeights.zero(2), 1e-3, BallConstraint.NONE, 0));
    while (run.newest.diagnostics.getOrDefault("saturations", 0.0) == 0) {
      run.publish();
      Round round = sparse(run.state.round(), 0, -1e-3);
      round.part(0).gradientBound = 1e-3;
      run.step(round);
    }
    double saturations = run.publish().diagnostics.get("saturations");
    run.step(sparse(run.state.round(), 1, -1e-3));
    run.state.visit(StateChunks.writer((name, bytes) -> {}));
    assertThat(run.publish().diagnostics).containsEntry("saturations", saturations);
  }

  private static Round sparse(long publication, int coordinate, double value) {
    Round round = new Round();
    TestRounds.addSparse(round, publication, new int[] {coordinate}, new double[] {value});
    return round;
  }

  /** With the unit as radius, the weights stay in the box, return from its edge, and learn. */
  @Test
  void findsAnOptimumInsideAndOnTheEdgeOfTheBox() {
    var run = new TestRun<>(learner(InitialWeights.zero(2), 1, new BallConstraint(1), 0));
    Random random = new Random(3);
    double[] optimum = {0.4, 8};
    double[] g = new double[2];
    for (int t = 0; t < 40_000; t++) {
      double[] weights = run.publish().weights;
      for (int j = 0; j < 2; j++) {
        assertThat(Math.abs(weights[j])).isLessThanOrEqualTo(1);
        g[j] = Math.signum(weights[j] - optimum[j]) + random.nextGaussian();
      }
      run.step(g);
    }
    assertThat(run.newest.average[0]).isCloseTo(0.4, within(0.05));
    assertThat(run.newest.average[1]).isCloseTo(1, within(0.05));
  }
}
