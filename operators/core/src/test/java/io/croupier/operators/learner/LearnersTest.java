package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.operators.report.Specs;
import java.io.ByteArrayOutputStream;
import java.io.ObjectOutputStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LearnersTest {

  private static Learner<?> learner(String text) {
    return Learners.of(Specs.of(2, 2, text));
  }

  private static Iterate afterTwoSteps(String learner) {
    return afterTwoSteps(learner, 0);
  }

  private static Iterate afterTwoSteps(String learner, double variance) {
    TestRun<?> run = new TestRun<>(learner(learner));
    for (int t = 0; t < 2; t++) {
      run.step(2, new double[] {-1, 0.5}, variance);
    }
    return run.publish();
  }

  private static double magnitude(String learner) {
    return afterTwoSteps(learner).diagnostics.get("magnitude");
  }

  /** One coin was won: L = ||g||, V = L^2. */
  private static double predicted(Prior prior, double halfWidth) {
    double coin = Math.sqrt(1.25);
    return new Potential(prior, halfWidth).prediction(coin, 1.25);
  }

  @ParameterizedTest
  @CsvSource({
    "black_box {}, improper, 1",
    "black_box {prior {conjugate {}}}, conjugate, 1",
    "initial_wealth: 3 black_box {prior {cv {}}}, cv, 3",
    "black_box {prior {uniform {}}}, uniform, 1"
  })
  void defaultsOfTheBlackBox(String learner, String prior, double wealth) {
    assertThat(magnitude(learner))
        .isCloseTo(wealth * predicted(TestLearners.prior(prior, 4), 0.1), within(1e-15));
  }

  /** A bet of 0 stays 0, however large the wealth is in the unit of rounds that grow. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "black_box {}",
        "banco {strongest_noise {sub_exponential {variance: 0 beta_max: inf}}}",
        "combined {}",
        "coordinate_wise {}"
      })
  void noWealthIsTooLarge(String learner) {
    TestRun<?> run = new TestRun<>(learner("initial_wealth: 1.7e308 " + learner));
    for (int t = 0; t < 4; t++) {
      Iterate iterate = run.publish();
      assertThat(Arrays.stream(iterate.weights)).allMatch(Double::isFinite);
      assertThat(iterate.diagnostics.values()).allMatch(Double::isFinite);
      run.step(t, 1 << t, 2, new double[] {t == 0 ? 1 : 0, 0}, 0);
    }
  }

  /** No noise: a = k1 / G, and V grows by G^2 a round. */
  @Test
  void bancoWithoutNoise() {
    double expected =
        new Potential(new Prior.Uniform(), 0.6838 / 2).prediction(Math.sqrt(1.25), 2 * 4);
    assertThat(magnitude("banco {strongest_noise: {sub_exponential {variance: 0 beta_max: inf}}}"))
        .isCloseTo(expected, within(1e-14));
  }

  /** Inside of the ball, gradients and their noise count half, so the variance counts a quarter. */
  @Test
  void bancoInABallHalvesTheNoise() {
    String noise = "strongest_noise {sub_exponential {variance: 8 beta_max: inf}}";
    Iterate iterate = afterTwoSteps("banco {radius: 1000 " + noise + "}", 8);
    double expected =
        new Potential(new Prior.Uniform(), 0.6838 / 2)
            .prediction(Math.sqrt(1.25) / 2, 2 * (8.0 / 4 / 2 + 4));
    assertThat(iterate.diagnostics.get("magnitude")).isCloseTo(expected, within(1e-14));
  }

  @Test
  void ldpSgdStartsAtTheInitialWeights() {
    Iterate iterate = afterTwoSteps("initial_weights: [1,1] ldp_sgd {step_size: 0.5 decay: 1}");
    assertThat(iterate.weights).containsExactly(new double[] {1.75, 0.625}, within(1e-15));
    assertThat(iterate.average).containsExactly(new double[] {1.625, 0.6875}, within(1e-15));
  }

  @Test
  void averagingIsUsed() {
    String learner = "ldp_sgd {step_size: 0.5 decay: 0}";
    Iterate uniform = afterTwoSteps(learner);
    Iterate cubic = afterTwoSteps("averaging {polynomial {degree: 3}} " + learner);
    assertThat(uniform.average[0]).isCloseTo((0.5 + 1) / 2, within(1e-15));
    assertThat(cubic.average[0]).isCloseTo((0.5 + 8 * 1) / 9, within(1e-15));
  }

  /** Linear loss: without a radius, the weights leave every ball. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "black_box {radius: 0.5}",
        "banco {radius: 0.5 strongest_noise {sub_exponential {variance: 0 beta_max: inf}}}",
        "ldp_sgd {step_size: 1 decay: 0.5 radius: 0.5}",
        "coordinate_wise {radius: 0.5}",
      })
  void keepsTheRadius(String learner) {
    assertThat(farthest(learner.replace("radius: 0.5", ""))).isGreaterThan(100);
    assertThat(farthest(learner)).isBetween(0.499, 0.5000001);
  }

  /** The largest distance of a coordinate from its initial weight in the run. */
  private static double farthest(String learner) {
    TestRun<?> run = new TestRun<>(learner("initial_weights: [7, -3] " + learner));
    double farthest = 0;
    for (int t = 0; t < 6000; t++) {
      run.step(2, new double[] {-2, 0}, 0);
      double[] weights = run.publish().weights;
      assertThat(weights[1]).isEqualTo(-3);
      farthest = Math.max(farthest, Math.abs(weights[0] - 7));
    }
    return farthest;
  }

  @ParameterizedTest
  @CsvSource({
    "coordinate_wise {}, improper, 1",
    "coordinate_wise {prior {conjugate {}}}, conjugate, 1",
    "initial_wealth: 5 coordinate_wise {prior {uniform {}}}, uniform, 5"
  })
  void coordinateWiseUsesTheImproperPriorByDefault(String learner, String prior, double wealth) {
    Potential potential = new Potential(TestLearners.prior(prior, 4), 0.1);
    assertThat(afterTwoSteps(learner).weights[0])
        .isCloseTo(wealth * potential.prediction(2, 2), within(1e-15));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dp_ftrl {}", "dp_ftrl_least_squares {}", "dp_ftrl_parameter_free {}"})
  void namesTheAvailableLearners(String learner) {
    assertThatThrownBy(() -> learner(learner))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("banco, black_box, combined, coordinate_wise and ldp_sgd");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "black_box {radius: 2}",
        "combined {}",
        "coordinate_wise {}",
        "ldp_sgd {step_size: 1 decay: 0.5}",
        "banco {strongest_noise {l2_laplace {epsilon: 1}}}"
      })
  void areSerializable(String learner) throws Exception {
    try (ObjectOutputStream out = new ObjectOutputStream(new ByteArrayOutputStream())) {
      out.writeObject(learner(learner));
    }
  }
}
