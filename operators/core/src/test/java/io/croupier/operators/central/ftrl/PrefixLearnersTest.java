package io.croupier.operators.central.ftrl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.learner.Averaging;
import io.croupier.operators.learner.InitialWeights;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Prior;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What all learners of prefix sums have in common. */
class PrefixLearnersTest {
  private static final int DIMENSION = 3;
  private static final double[] START = {0.5, 0, -0.25};

  static Stream<PrefixLearner<? extends LearnerState>> learners() {
    InitialWeights start = InitialWeights.of(START);
    Averaging cubic = new Averaging(3);
    return Stream.of(
        new Ftrl(new FtrlParameters(0.1, 0, Double.POSITIVE_INFINITY, 0), cubic, start),
        new Ftrl(new FtrlParameters(0.1, 0.9, 2, 0.05), cubic, start),
        new LeastSquaresFtrl(
            new ExampleMoments(DIMENSION, 1, 1), new LeastSquaresParameters(1, 2), cubic, start),
        new ParameterFreeFtrl(1, new Prior.Improper(), 1, cubic, start));
  }

  @ParameterizedTest
  @MethodSource("learners")
  <S extends LearnerState> void beforeTheFirstRoundTheInitialWeightsArePlayed(
      PrefixLearner<S> learner) {
    Iterate out = new Iterate(DIMENSION);
    learner.publish(learner.initial(), out);

    assertThat(out.round).isZero();
    assertThat(out.weights).containsExactly(START);
    assertThat(out.average).containsExactly(START);
  }

  @ParameterizedTest
  @MethodSource("learners")
  <S extends LearnerState> void aRestoredStateContinuesLikeAnUninterruptedRun(
      PrefixLearner<S> learner) {
    Random random = new Random(1);
    S state = learner.initial();
    for (int t = 0; t < 20; t++) {
      learner.step(state, sum(learner, random), 1 + t % 3);
    }
    S restored = learner.initial();
    Saved saved = new Saved();
    state.visit(saved);
    saved.restoring = true;
    restored.visit(saved);
    for (int t = 0; t < 5; t++) {
      double[] sum = sum(learner, random);
      learner.step(state, sum, 2);
      learner.step(restored, sum, 2);
      Iterate expected = new Iterate(DIMENSION);
      Iterate actual = new Iterate(DIMENSION);
      learner.publish(state, expected);
      learner.publish(restored, actual);
      assertThat(actual.round).isEqualTo(21 + t);
      assertThat(actual.weights).containsExactly(expected.weights);
      assertThat(actual.average).containsExactly(expected.average);
      assertThat(actual.diagnostics).isEqualTo(expected.diagnostics);
    }
  }

  @ParameterizedTest
  @MethodSource("learners")
  <S extends LearnerState> void theAverageIsOverTheWeightsThatWerePlayed(PrefixLearner<S> learner) {
    Random random = new Random(2);
    S state = learner.initial();
    Iterate out = new Iterate(DIMENSION);
    double[] weighted = new double[DIMENSION];
    double total = 0;
    for (int t = 1; t <= 30; t++) {
      learner.publish(state, out);
      double weight = Math.pow(t, 3);
      for (int i = 0; i < DIMENSION; i++) {
        weighted[i] += weight * out.weights[i];
      }
      total += weight;
      learner.step(state, sum(learner, random), 1);
    }
    learner.publish(state, out);
    for (int i = 0; i < DIMENSION; i++) {
      assertThat(out.average[i]).isCloseTo(weighted[i] / total, within(1e-13));
    }
  }

  @ParameterizedTest
  @MethodSource("learners")
  <S extends LearnerState> void sumsOfAnySizeGiveFiniteWeights(PrefixLearner<S> learner) {
    double[] extremes = {Double.MAX_VALUE, -Double.MAX_VALUE, 0, Double.MIN_VALUE, 1e150, -1};
    S state = learner.initial();
    Iterate out = new Iterate(DIMENSION);
    Random random = new Random(3);
    for (int t = 0; t < 300; t++) {
      double[] sum = new double[learner.sumDimension()];
      Arrays.setAll(sum, i -> extremes[random.nextInt(extremes.length)]);
      learner.step(state, sum, t % 2 == 0 ? 0 : 1e300);
      learner.publish(state, out);
      assertThat(squaredNorm(out.weights)).isFinite();
      assertThat(squaredNorm(out.average)).isFinite();
    }
  }

  private static double squaredNorm(double[] values) {
    return Arrays.stream(values).map(x -> x * x).sum();
  }

  private static double[] sum(PrefixLearner<?> learner, Random random) {
    double[] sum = new double[learner.sumDimension()];
    Arrays.setAll(sum, i -> 3 * random.nextGaussian());
    return sum;
  }

  private static final class Saved implements LearnerState.Visitor {
    private final Map<String, Object> parts = new HashMap<>();
    private boolean restoring;

    @Override
    public double scalar(String name, double value) {
      return (double) keep(name, value);
    }

    @Override
    public long count(String name, long value) {
      return (long) keep(name, value);
    }

    @Override
    public void vector(String name, double[] values) {
      double[] kept = (double[]) keep(name, values.clone());
      System.arraycopy(kept, 0, values, 0, values.length);
    }

    @Override
    public void counts(String name, long[] values) {
      long[] kept = (long[]) keep(name, values.clone());
      System.arraycopy(kept, 0, values, 0, values.length);
    }

    private Object keep(String name, Object value) {
      if (restoring) {
        return parts.get(name);
      }
      assertThat(parts).doesNotContainKey(name);
      parts.put(name, value);
      return value;
    }
  }
}
