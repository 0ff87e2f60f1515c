package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.operators.report.DirectionalNoise;
import io.croupier.operators.report.Specs;
import io.croupier.schemas.ModelSpec;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Independence of whole learners from the unit, the sign and the order of coordinates. */
class LearnerSymmetriesTest {
  private static final int D = 7;
  private static final int ROUNDS = 150;
  private static final double GRADIENT_BOUND = 1.5;

  /**
   * A learner for gradients of one unit. UNIT^-2 and similar stand for numbers with a unit; noise
   * that is declared by epsilon or mu scales with the gradient bound, as does the default b.
   */
  private record Case(String learner) {
    ModelSpec spec(double unit) {
      return Specs.of(
          D,
          GRADIENT_BOUND * unit,
          learner
              .replace("UNIT^-2", Double.toString(1 / (unit * unit)))
              .replace("UNIT^-1", Double.toString(1 / unit))
              .replace("UNIT^2", Double.toString(unit * unit)));
    }

    /** The prior cv compares betting fractions with 1. */
    boolean hasAUnitOfItsOwn() {
      return learner.contains("cv");
    }

    /** The learner has no sum over coordinates. */
    boolean isCoordinateWise() {
      return learner.contains("coordinate_wise") || learner.endsWith("decay: 0.5}");
    }

    @Override
    public String toString() {
      return learner;
    }
  }

  static Stream<Case> learners() {
    return Stream.of(
            "black_box {}",
            "black_box {prior {conjugate {}}}",
            "black_box {prior {conjugate {b: UNIT^2}}}",
            "black_box {prior {uniform {}}}",
            "black_box {prior {cv {}}}",
            "initial_wealth: 30 averaging {polynomial {degree: 3}} black_box {}",
            "banco {strongest_noise {l2_laplace {epsilon: 2}}}",
            "banco {strongest_noise {gaussian {mu: 2}}}",
            "banco {strongest_noise {sub_exponential {variance: UNIT^2 beta_max: UNIT^-1}}}",
            "initial_wealth: 1e6 banco {strongest_noise {gaussian {mu: 2}} radius: UNIT^-1}",
            "initial_wealth: 1000 black_box {radius: UNIT^-1}",
            "combined {}",
            "coordinate_wise {}",
            "coordinate_wise {prior {conjugate {}}}",
            "coordinate_wise {prior {cv {}}}",
            "initial_wealth: 100 coordinate_wise {radius: UNIT^-1}",
            "memory {half_life: 100} black_box {}",
            "memory {half_life: 100} coordinate_wise {}",
            "memory {automatic {}} combined {}",
            "ldp_sgd {step_size: UNIT^-2 decay: 0.5}",
            "ldp_sgd {step_size: UNIT^-2 decay: 0.5 radius: UNIT^-1}")
        .map(Case::new);
  }

  static Stream<Case> learnersWithoutAUnit() {
    return learners().filter(c -> !c.hasAUnitOfItsOwn());
  }

  /**
   * Drift, a turn at half of the rounds, noise with a level that changes from report to report, and
   * zeros.
   */
  private static double[][] gradients(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[][] gradients = new double[ROUNDS][D];
    for (int t = 0; t < ROUNDS; t++) {
      double drift = t < ROUNDS / 2 ? -0.3 : 0.2;
      double level = t % 17 == 0 ? 4 : 0.3;
      for (int j = 0; j < D && t % 11 != 3; j++) {
        gradients[t][j] = drift * (j - 2) / D + level * random.nextGaussian();
      }
    }
    return gradients;
  }

  /** Weights and average after every round. */
  private static double[][] trajectory(Case c, double unit, double[][] gradients) {
    ModelSpec spec = c.spec(unit);
    DirectionalNoise noise = DirectionalNoise.of(spec);
    TestRun<?> run = new TestRun<>(Learners.of(spec));
    double[][] trajectory = new double[2 * ROUNDS][];
    for (int t = 0; t < ROUNDS; t++) {
      double variance = noise.variance(new GaussianMechanism(2 + t % 3));
      run.step(spec.getGradientBound(), gradients[t], variance);
      run.publish();
      trajectory[2 * t] = run.newest.weights.clone();
      trajectory[2 * t + 1] = run.newest.average.clone();
    }
    return trajectory;
  }

  private static double[][] each(double[][] vectors, UnaryOperator<double[]> f) {
    return Arrays.stream(vectors).map(f).toArray(double[][]::new);
  }

  /** Adding 0 makes -0 positive, as in results without a multiplication. */
  private static UnaryOperator<double[]> times(double factor) {
    return v -> Arrays.stream(v).map(x -> factor * x + 0.0).toArray();
  }

  private static void assertMoved(double[][] trajectory) {
    assertThat(Golden.norm(trajectory[2 * ROUNDS - 2])).isGreaterThan(1e-6);
  }

  private static void assertClose(double[][] actual, double[][] expected) {
    double largest = Arrays.stream(expected).mapToDouble(Golden::norm).max().orElseThrow();
    for (int i = 0; i < expected.length; i++) {
      assertThat(Golden.distance(actual[i], expected[i]))
          .as("round %d", i / 2)
          .isLessThanOrEqualTo(1e-10 * largest);
    }
  }

  /** To the last bit for powers of two. */
  @ParameterizedTest
  @MethodSource("learnersWithoutAUnit")
  void weightsHaveTheInverseUnitOfGradients(Case c) {
    double[][] gradients = gradients(1);
    double[][] plain = trajectory(c, 1, gradients);
    assertMoved(plain);
    for (int exponent : new int[] {-30, -1, 3, 40}) {
      double unit = Math.scalb(1.0, exponent);
      assertThat(trajectory(c, unit, each(gradients, times(unit))))
          .as("unit 2^%d", exponent)
          .isDeepEqualTo(each(plain, times(1 / unit)));
    }
    for (double unit : new double[] {3.7e-5, 0.9, 12_345}) {
      assertClose(trajectory(c, unit, each(gradients, times(unit))), each(plain, times(1 / unit)));
    }
  }

  @ParameterizedTest
  @MethodSource("learners")
  void negatedGradientsGiveNegatedWeightsToTheLastBit(Case c) {
    double[][] gradients = gradients(2);
    double[][] plain = trajectory(c, 1, gradients);
    assertMoved(plain);
    assertThat(each(trajectory(c, 1, each(gradients, times(-1))), times(1)))
        .isDeepEqualTo(each(plain, times(-1)));
  }

  /** Up to the rounding of sums over coordinates; to the last bit where there are none. */
  @ParameterizedTest
  @MethodSource("learners")
  void theOrderOfCoordinatesDoesNotMatter(Case c) {
    int[] order = {4, 0, 6, 2, 1, 5, 3};
    UnaryOperator<double[]> permuted = v -> Arrays.stream(order).mapToDouble(j -> v[j]).toArray();
    double[][] gradients = gradients(3);
    double[][] expected = each(trajectory(c, 1, gradients), permuted);
    double[][] actual = trajectory(c, 1, each(gradients, permuted));
    assertMoved(expected);
    if (c.isCoordinateWise()) {
      assertThat(actual).isDeepEqualTo(expected);
    }
    assertClose(actual, expected);
  }

  @ParameterizedTest
  @MethodSource("learners")
  void zerosMoveNothing(Case c) {
    double[][] zeros = each(gradients(4), v -> new double[D]);
    assertThat(trajectory(c, 1, zeros)).isDeepEqualTo(new double[2 * ROUNDS][D]);
  }
}
