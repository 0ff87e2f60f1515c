package io.croupier.operators.central.ftrl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.learner.Averaging;
import io.croupier.operators.learner.InitialWeights;
import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Prior;
import io.croupier.operators.learner.StateChunks;
import io.croupier.operators.math.Vectors;
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
  void beforeTheFirstRoundTheInitialWeightsArePlayed(PrefixLearner<?> learner) {
    Iterate out = new PrefixRun<>(learner).publish();
    assertThat(out.round).isZero();
    assertThat(out.weights).containsExactly(START);
    assertThat(out.average).containsExactly(START);
  }

  @ParameterizedTest
  @MethodSource("learners")
  void aRestoredStateContinuesLikeAnUninterruptedRun(PrefixLearner<?> learner) {
    Random random = new Random(1);
    var run = new PrefixRun<>(learner);
    for (int t = 0; t < 20; t++) {
      run.step(sum(learner, random), 1 + t % 3);
    }
    Map<String, byte[]> saved = new HashMap<>();
    run.state.visit(
        StateChunks.writer((name, bytes) -> assertThat(saved.put(name, bytes)).isNull()));
    var restored = new PrefixRun<>(learner);
    restored.state.visit(StateChunks.reader(saved::get));
    for (int t = 0; t < 5; t++) {
      double[] sum = sum(learner, random);
      run.step(sum, 2);
      restored.step(sum, 2);
      Iterate expected = run.publish();
      Iterate actual = restored.publish();
      assertThat(actual.round).isEqualTo(21 + t);
      assertThat(actual.weights).containsExactly(expected.weights);
      assertThat(actual.average).containsExactly(expected.average);
      assertThat(actual.diagnostics).isEqualTo(expected.diagnostics);
    }
  }

  @ParameterizedTest
  @MethodSource("learners")
  void theAverageIsOverTheWeightsThatWerePlayed(PrefixLearner<?> learner) {
    Random random = new Random(2);
    var run = new PrefixRun<>(learner);
    double[] weighted = new double[DIMENSION];
    double total = 0;
    for (int t = 1; t <= 30; t++) {
      double weight = Math.pow(t, 3);
      Vectors.addScaled(weight, run.weights(), weighted);
      total += weight;
      run.step(sum(learner, random), 1);
    }
    Vectors.scale(1 / total, weighted, weighted);
    assertThat(run.publish().average).containsExactly(weighted, within(1e-13));
  }

  @ParameterizedTest
  @MethodSource("learners")
  void sumsOfAnySizeGiveFiniteWeights(PrefixLearner<?> learner) {
    double[] extremes = {Double.MAX_VALUE, -Double.MAX_VALUE, 0, Double.MIN_VALUE, 1e150, -1};
    var run = new PrefixRun<>(learner);
    Random random = new Random(3);
    for (int t = 0; t < 300; t++) {
      double[] sum = new double[learner.sumDimension()];
      Arrays.setAll(sum, i -> extremes[random.nextInt(extremes.length)]);
      run.step(sum, t % 2 == 0 ? 0 : 1e300);
      Iterate out = run.publish();
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
}
