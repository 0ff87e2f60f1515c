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
    CoordinateWise.State sparse = learner.initial();
    CoordinateWise.State dense = learner.initial();
    Iterate fromSparse = new Iterate(D);
    Iterate fromDense = new Iterate(D);
    Random random = new Random(1);
    for (int t = 0; t < 500; t++) {
      TestRounds.publish(learner, sparse, fromSparse);
      TestRounds.publish(learner, dense, fromDense);
      assertSame(fromSparse, fromDense);
      Round round = sparse(random, t, random.nextInt(20));
      double[] values = new double[D];
      round.part(0).addTo(values, 1);
      Round same = new Round();
      TestRounds.add(same, t, 1, 1, values, 0);
      learner.step(sparse, round);
      learner.step(dense, same);
    }
  }

  /** Of 100 reports one touches the coordinate: its coin is bounded as that of one report. */
  @Test
  void onlyReportsThatTouchACoordinateCount() {
    CoordinateWise learner = learner(InitialWeights.zero(2), 1, BallConstraint.NONE, 0);
    CoordinateWise.State state = learner.initial();
    TestRounds.publish(learner, state, new Iterate(2));
    Round round = new Round();
    Round.Part part = TestRounds.addSparse(round, 0, new int[] {0, 1}, new double[] {-0.7, -30});
    part.weight = 100;
    part.squaredWeight = 100;
    part.touching = new double[] {1, 100};
    part.touchingSquared = new double[] {1, 100};
    learner.step(state, round);
    CoordinateChunks chunks = state.coordinates();
    assertThat(chunks.coins(0)).isCloseTo(0.007, within(1e-15));
    assertThat(chunks.bound[0]).as("5/2 G / 100").isCloseTo(0.025, within(1e-15));
    assertThat(chunks.coins(1)).isCloseTo(0.3, within(1e-15));
    assertThat(chunks.bound[1]).as("the coin").isCloseTo(0.3, within(1e-15));
  }

  @Test
  void publishingAgainChangesNothing() {
    CoordinateWise learner = learner(InitialWeights.zero(D), 1, BallConstraint.NONE, 0);
    CoordinateWise.State state = learner.initial();
    Random random = new Random(2);
    Iterate once = new Iterate(D);
    Iterate again = new Iterate(D);
    TestRounds.publish(learner, state, once);
    for (int t = 0; t < 50; t++) {
      learner.step(state, sparse(random, t, 10));
      TestRounds.publish(learner, state, once);
      TestRounds.publish(learner, state, again);
      assertSame(again, once);
    }
  }

  /** One pair of V and h a coordinate suffices while no report is late. */
  @Test
  void theSidesSeparateWithTheFirstLateReport() {
    CoordinateWise learner = learner(InitialWeights.zero(1), 1, BallConstraint.NONE, 0);
    CoordinateWise.State state = learner.initial();
    for (int t = 0; t < 20; t++) {
      learner.publish(state, t, new Iterate(1));
      Round round = new Round();
      TestRounds.add(round, t, 4, 1, new double[] {-0.5}, 0);
      learner.step(state, round);
    }
    assertThat(state.coordinates().isSymmetric()).isTrue();
    learner.publish(state, 20, new Iterate(1));
    Round late = new Round();
    TestRounds.add(late, 17, 4, 1, new double[] {-0.5}, 0);
    learner.step(state, late);
    CoordinateChunks chunks = state.coordinates();
    assertThat(chunks.isSymmetric()).isFalse();
    assertThat(chunks.upper(0)).as("c a > 0: it costs").isGreaterThan(21 * 0.25);
    assertThat(chunks.lower(0)).isNotEqualTo(chunks.upper(0));
  }

  /** Blocks of the average end between publications; the weights played until then are included. */
  @Test
  void averagesAcrossTheBlocksOfTheAverage() {
    CoordinateWise learner = learner(InitialWeights.zero(1), 1, BallConstraint.NONE, 0);
    CoordinateWise.State state = learner.initial();
    Iterate iterate = new Iterate(1);
    RunningSum sum = new RunningSum();
    int rounds = 5 * RunningAverage.BLOCK / 2;
    double largest = 0;
    for (int t = 1; t <= rounds; t++) {
      double[] g = {t % 3 == 0 ? 0.9 : -0.5};
      TestRounds.publish(learner, state, iterate);
      sum.add(iterate.weights[0]);
      largest = Math.max(largest, Math.abs(iterate.weights[0]));
      Round round = new Round();
      TestRounds.add(round, state.round(), 1, 1, g, 0);
      learner.step(state, round);
    }
    TestRounds.publish(learner, state, iterate);
    assertThat(largest).isPositive();
    assertThat(iterate.average[0]).isCloseTo(sum.value() / rounds, within(1e-11 * largest));
  }

  /** Saving doesn't change a state. */
  @Test
  void savingBetweenPublicationsCountsNothingTwice() {
    CoordinateWise learner = learner(InitialWeights.zero(2), 1e-3, BallConstraint.NONE, 0);
    CoordinateWise.State state = learner.initial();
    Iterate iterate = new Iterate(2);
    while (iterate.diagnostics.getOrDefault("saturations", 0.0) == 0) {
      TestRounds.publish(learner, state, iterate);
      Round round = new Round();
      TestRounds.addSparse(round, state.round(), new int[] {0}, new double[] {-1e-3});
      round.part(0).gradientBound = 1e-3;
      learner.step(state, round);
    }
    TestRounds.publish(learner, state, iterate);
    double saturations = iterate.diagnostics.get("saturations");
    Round round = new Round();
    TestRounds.addSparse(round, state.round(), new int[] {1}, new double[] {-1e-3});
    learner.step(state, round);
    state.visit(StateChunks.writer((name, bytes) -> {}));
    TestRounds.publish(learner, state, iterate);
    assertThat(iterate.diagnostics.get("saturations")).isEqualTo(saturations);
  }

  /** With the unit as radius, the weights stay in the box, return from its edge, and learn. */
  @Test
  void findsAnOptimumInsideAndOnTheEdgeOfTheBox() {
    CoordinateWise learner = learner(InitialWeights.zero(2), 1, new BallConstraint(1), 0);
    CoordinateWise.State state = learner.initial();
    Iterate iterate = new Iterate(2);
    Random random = new Random(3);
    double[] optimum = {0.4, 8};
    double[] g = new double[2];
    for (int t = 0; t < 40_000; t++) {
      TestRounds.publish(learner, state, iterate);
      for (int j = 0; j < 2; j++) {
        assertThat(Math.abs(iterate.weights[j])).isLessThanOrEqualTo(1);
        double noise = random.nextGaussian();
        g[j] = Math.signum(iterate.weights[j] - optimum[j]) + noise;
      }
      Round round = new Round();
      TestRounds.add(round, t, 1, 1, g, 0);
      learner.step(state, round);
    }
    assertThat(iterate.average[0]).isCloseTo(0.4, within(0.05));
    assertThat(iterate.average[1]).isCloseTo(1, within(0.05));
  }
}
