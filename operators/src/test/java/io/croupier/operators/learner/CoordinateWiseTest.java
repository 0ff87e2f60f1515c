package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

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
        new Potential(new Prior.Conjugate(gradientBound * gradientBound), 1 / (5 * gradientBound)),
        1,
        constraint,
        new Averaging(averagingDegree),
        initialWeights);
  }

  /** {@code count} distinct coordinates with values, in a random order. */
  private static void fillSparse(Round round, Random random, int count) {
    int[] coordinates = random.ints(0, D).distinct().limit(count).toArray();
    round.sparse(coordinates, count);
    round.squaredNorm = 0;
    for (int j : coordinates) {
      double g = random.nextGaussian() - 0.5;
      round.subgradient[j] = g;
      round.squaredNorm += g * g;
    }
  }

  private static void assertSame(Iterate actual, Iterate expected) {
    assertThat(actual.weights).isEqualTo(expected.weights);
    assertThat(actual.average).isEqualTo(expected.average);
    assertThat(actual.diagnostics).isEqualTo(expected.diagnostics);
  }

  @Test
  void aSparseRoundIsADenseOneWithZeros() {
    CoordinateWise learner = learner(InitialWeights.zero(D), 1, BallConstraint.NONE, 2);
    CoordinateWise.State sparse = learner.initial();
    CoordinateWise.State dense = learner.initial();
    Round sparseRound = new Round(D);
    Round denseRound = new Round(D);
    Iterate fromSparse = new Iterate(D);
    Iterate fromDense = new Iterate(D);
    Random random = new Random(1);
    for (int t = 0; t < 500; t++) {
      fillSparse(sparseRound, random, random.nextInt(20));
      denseRound.dense();
      System.arraycopy(sparseRound.subgradient, 0, denseRound.subgradient, 0, D);
      learner.step(sparse, sparseRound);
      learner.step(dense, denseRound);
      if (random.nextInt(5) == 0) {
        learner.publish(sparse, fromSparse);
        learner.publish(dense, fromDense);
        assertSame(fromSparse, fromDense);
      }
    }
  }

  @Test
  void publishingAgainChangesNothing() {
    CoordinateWise learner = learner(InitialWeights.zero(D), 1, BallConstraint.NONE, 0);
    CoordinateWise.State state = learner.initial();
    Round round = new Round(D);
    Random random = new Random(2);
    Iterate once = new Iterate(D);
    Iterate again = new Iterate(D);
    for (int t = 0; t < 50; t++) {
      fillSparse(round, random, 10);
      learner.step(state, round);
      learner.publish(state, once);
      learner.publish(state, again);
      assertSame(again, once);
    }
  }

  /**
   * Weights depend on sums alone; the average depends on the played weights and the rounds for
   * which each was in force.
   */
  @Test
  void averagesThePublishedWeights() {
    double[] start = {1};
    CoordinateWise learner = learner(InitialWeights.of(start), 1, BallConstraint.NONE, 1);
    CoordinateWise.State state = learner.initial();
    CoordinateWise.State everyRound = learner.initial();
    Round round = new Round(1);
    round.subgradient[0] = -1;
    Iterate iterate = new Iterate(1);
    Iterate other = new Iterate(1);
    learner.publish(state, iterate);
    double sum = 0;
    double weights = 0;
    for (int t = 1; t <= 300; t++) {
      sum += t * iterate.weights[0];
      weights += t;
      learner.step(state, round);
      learner.step(everyRound, round);
      learner.publish(everyRound, other);
      if (t % 7 == 0) {
        learner.publish(state, iterate);
        assertThat(iterate.weights).isEqualTo(other.weights);
        assertThat(iterate.average[0]).isCloseTo(sum / weights, within(1e-13 * sum / weights));
      }
    }
    assertThat(iterate.average[0]).isGreaterThan(1.01);
  }

  /** Blocks of the average end between publications; the weights played until then are included. */
  @Test
  void averagesAcrossTheBlocksOfTheAverage() {
    CoordinateWise learner = learner(InitialWeights.zero(1), 1, BallConstraint.NONE, 0);
    CoordinateWise.State state = learner.initial();
    Round round = new Round(1);
    Iterate iterate = new Iterate(1);
    learner.publish(state, iterate);
    RunningSum sum = new RunningSum();
    int rounds = 5 * RunningAverage.BLOCK / 2;
    double largest = 0;
    for (int t = 1; t <= rounds; t++) {
      sum.add(iterate.weights[0]);
      round.subgradient[0] = t % 3 == 0 ? 0.9 : -0.5;
      learner.step(state, round);
      if (t % 1001 == 0 || t == rounds) {
        learner.publish(state, iterate);
        largest = Math.max(largest, Math.abs(iterate.weights[0]));
      }
    }
    assertThat(largest).isPositive();
    assertThat(iterate.average[0]).isCloseTo(sum.value() / rounds, within(1e-11 * largest));
  }

  /** Saving doesn't change a state. */
  @Test
  void savingBetweenPublicationsCountsNothingTwice() {
    CoordinateWise learner = learner(InitialWeights.zero(2), 1e-3, BallConstraint.NONE, 0);
    CoordinateWise.State state = learner.initial();
    Round round = new Round(2);
    Iterate iterate = new Iterate(2);
    for (int t = 0; t < 20_000; t++) {
      round.sparse(new int[] {0}, 1);
      round.subgradient[0] = -1e-3;
      learner.step(state, round);
    }
    learner.publish(state, iterate);
    assertThat(iterate.diagnostics.get("saturations")).isEqualTo(1);
    round.sparse(new int[] {1}, 1);
    round.subgradient[1] = -1e-3;
    learner.step(state, round);
    state.visit(StateChunks.writer((name, bytes) -> {}));
    learner.publish(state, iterate);
    assertThat(iterate.diagnostics.get("saturations")).isEqualTo(1);
  }

  /** With the unit as radius, the weights stay in the box, return from its edge, and learn. */
  @Test
  void findsAnOptimumInsideAndOnTheEdgeOfTheBox() {
    CoordinateWise learner = learner(InitialWeights.zero(2), 1, new BallConstraint(1, 1), 0);
    CoordinateWise.State state = learner.initial();
    Iterate iterate = new Iterate(2);
    Round round = new Round(2);
    Random random = new Random(3);
    double[] optimum = {0.4, 8};
    for (int t = 0; t < 40_000; t++) {
      learner.publish(state, iterate);
      for (int j = 0; j < 2; j++) {
        assertThat(Math.abs(iterate.weights[j])).isLessThanOrEqualTo(1);
        double noise = random.nextGaussian();
        round.subgradient[j] = Math.signum(iterate.weights[j] - optimum[j]) + noise;
      }
      learner.step(state, round);
    }
    assertThat(iterate.average[0]).isCloseTo(0.4, within(0.05));
    assertThat(iterate.average[1]).isCloseTo(1, within(0.05));
  }

  @Test
  void doesNotBetOnADirection() {
    CoordinateWise learner = learner(InitialWeights.zero(2), 1, BallConstraint.NONE, 0);
    assertThat(learner.bets()).isFalse();
    assertThatThrownBy(() -> learner.direction(learner.initial(), new double[2]))
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
