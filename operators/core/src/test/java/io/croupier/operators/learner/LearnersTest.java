package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.protobuf.TextFormat;
import io.croupier.schemas.ModelSpec;
import java.io.ByteArrayOutputStream;
import java.io.ObjectOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LearnersTest {

  private static ModelSpec spec(String learner) throws Exception {
    ModelSpec.Builder builder = ModelSpec.newBuilder();
    TextFormat.merge("model_id: 'm' dimension: 2 gradient_bound: 2 " + learner, builder);
    return builder.build();
  }

  private static <S extends LearnerState> Iterate afterTwoSteps(Learner<S> learner) {
    S state = learner.initial();
    Iterate iterate = new Iterate(2);
    for (int t = 0; t < 2; t++) {
      learner.step(state, TestRounds.ofBound(2, learner, state, new double[] {-1, 0.5}, 0));
    }
    TestRounds.publish(learner, state, iterate);
    return iterate;
  }

  private static double magnitude(String learner) throws Exception {
    return afterTwoSteps(Learners.of(spec(learner))).diagnostics.get("magnitude");
  }

  /** One coin was won: L = ||g||, V = L^2. */
  private static double predicted(Prior prior, double halfWidth) {
    double coin = Math.sqrt(1.25);
    return new Potential(prior, halfWidth).prediction(coin, 1.25);
  }

  @Test
  void defaultsOfTheBlackBox() throws Exception {
    assertThat(magnitude("black_box {}"))
        .isCloseTo(predicted(new Prior.Improper(), 0.1), within(1e-15));
    assertThat(magnitude("black_box {prior {conjugate {}}}"))
        .isCloseTo(predicted(new Prior.Conjugate(4), 0.1), within(1e-15));
    assertThat(magnitude("initial_wealth: 3 black_box {prior {cv {}}}"))
        .isCloseTo(3 * predicted(new Prior.Cv(), 0.1), within(1e-15));
    assertThat(magnitude("black_box {prior {uniform {}}}"))
        .isCloseTo(predicted(new Prior.Uniform(), 0.1), within(1e-15));
  }

  /** No noise: a = k1 / G, and V grows by G^2 a round. */
  @Test
  void bancoWithoutNoise() throws Exception {
    double expected =
        new Potential(new Prior.Uniform(), 0.6838 / 2).prediction(Math.sqrt(1.25), 2 * 4);
    assertThat(
            magnitude(
                "banco {strongest_noise: " + "{sub_exponential {variance: 0 beta_max: inf}}}"))
        .isCloseTo(expected, within(1e-14));
  }

  /** Inside of the ball, gradients and their noise count half, so the variance counts a quarter. */
  @Test
  void bancoInABallHalvesTheNoise() throws Exception {
    String noise = "strongest_noise {sub_exponential {variance: 8 beta_max: inf}}";
    double magnitude = magnitudeUnderNoise(Learners.of(spec("banco {radius: 1000 " + noise + "}")));
    double expected =
        new Potential(new Prior.Uniform(), 0.6838 / 2)
            .prediction(Math.sqrt(1.25) / 2, 2 * (8.0 / 4 / 2 + 4));
    assertThat(magnitude).isCloseTo(expected, within(1e-14));
  }

  private static <S extends LearnerState> double magnitudeUnderNoise(Learner<S> learner) {
    S state = learner.initial();
    for (int t = 0; t < 2; t++) {
      learner.step(state, TestRounds.ofBound(2, learner, state, new double[] {-1, 0.5}, 8));
    }
    Iterate iterate = new Iterate(2);
    TestRounds.publish(learner, state, iterate);
    return iterate.diagnostics.get("magnitude");
  }

  @Test
  void ldpSgdStartsAtTheInitialWeights() throws Exception {
    Iterate iterate =
        afterTwoSteps(
            Learners.of(spec("initial_weights: [1,1] ldp_sgd {step_size: 0.5 decay: 1}")));
    assertThat(iterate.weights).containsExactly(new double[] {1.75, 0.625}, within(1e-15));
    assertThat(iterate.average).containsExactly(new double[] {1.625, 0.6875}, within(1e-15));
  }

  @Test
  void averagingIsUsed() throws Exception {
    String learner = "ldp_sgd {step_size: 0.5 decay: 0}";
    Iterate uniform = afterTwoSteps(Learners.of(spec(learner)));
    Iterate cubic =
        afterTwoSteps(Learners.of(spec("averaging {polynomial {degree: 3}} " + learner)));
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
  void keepsTheRadius(String learner) throws Exception {
    assertThat(farthest(learner.replace("radius: 0.5", ""))).isGreaterThan(100);
    assertThat(farthest(learner)).isBetween(0.499, 0.5000001);
  }

  /** The largest distance of a coordinate from its initial weight in the run. */
  private static double farthest(String learner) throws Exception {
    return farthest(Learners.of(spec("initial_weights: [7, -3] " + learner)));
  }

  private static <S extends LearnerState> double farthest(Learner<S> learner) {
    S state = learner.initial();
    Iterate iterate = new Iterate(2);
    double farthest = 0;
    for (int t = 0; t < 6000; t++) {
      learner.step(state, TestRounds.ofBound(2, learner, state, new double[] {-2, 0}, 0));
      TestRounds.publish(learner, state, iterate);
      assertThat(iterate.weights[1]).isEqualTo(-3);
      farthest = Math.max(farthest, Math.abs(iterate.weights[0] - 7));
    }
    return farthest;
  }

  @Test
  void coordinateWiseUsesTheImproperPriorByDefault() throws Exception {
    assertThat(afterTwoSteps(Learners.of(spec("coordinate_wise {}"))).weights[0])
        .isCloseTo(new Potential(new Prior.Improper(), 0.1).prediction(2, 2), within(1e-15));
    assertThat(
            afterTwoSteps(Learners.of(spec("coordinate_wise {prior {conjugate {}}}"))).weights[0])
        .isCloseTo(new Potential(new Prior.Conjugate(4), 0.1).prediction(2, 2), within(1e-15));
    assertThat(
            afterTwoSteps(
                    Learners.of(spec("initial_wealth: 5 coordinate_wise {prior {uniform {}}}")))
                .weights[0])
        .isCloseTo(5 * new Potential(new Prior.Uniform(), 0.1).prediction(2, 2), within(1e-15));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dp_ftrl {}", "dp_ftrl_least_squares {}", "dp_ftrl_parameter_free {}"})
  void namesTheAvailableLearners(String learner) throws Exception {
    ModelSpec spec = spec(learner);
    assertThatThrownBy(() -> Learners.of(spec))
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
      out.writeObject(Learners.of(spec(learner)));
    }
  }
}
