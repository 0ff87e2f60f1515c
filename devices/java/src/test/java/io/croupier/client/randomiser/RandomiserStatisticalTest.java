package io.croupier.client.randomiser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.croupier.noise.Statistics;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares every randomiser with its law, in every dimension. With new seeds, a false alarm of this
 * class would have a probability below 24 * 20 * 1.25e-9 = 6e-7.
 */
class RandomiserStatisticalTest {
  /** Scales of noise are 1 or more. */
  private static final int FINE = -20;

  private static Stream<Arguments> all() {
    return Stream.concat(few(), many());
  }

  private static Stream<Arguments> few() {
    return Stream.of(1, 2, 10).flatMap(RandomiserStatisticalTest::of);
  }

  private static Stream<Arguments> many() {
    return of(1000);
  }

  private static Stream<Arguments> of(int dimension) {
    return Arrays.stream(RandomiserCase.values())
        .map(mechanism -> Arguments.of(mechanism, dimension));
  }

  /** A gradient longer than the bound, in every coordinate or along the last one. */
  static double[] gradient(RandomiserCase mechanism, int dimension) {
    double[] gradient = new double[dimension];
    if (mechanism.clip() == ClippingNorm.COORDINATES) {
      Arrays.setAll(gradient, j -> j % 2 == 0 ? 3 : -3);
    } else {
      gradient[dimension - 1] = -3;
    }
    return gradient;
  }

  /** That gradient after correct clipping. */
  static int[] clipped(RandomiserCase mechanism, int dimension, int bound) {
    return Arrays.stream(gradient(mechanism, dimension))
        .mapToInt(g -> (int) Math.signum(g) * bound)
        .toArray();
  }

  static int draws(int dimension) {
    return dimension == 1000 ? 2_000 : 40_000;
  }

  @ParameterizedTest
  @EnumSource(RandomiserCase.class)
  void theNoiseDoesNotDependOnTheGradient(RandomiserCase mechanism) {
    double[] gradient = {0.7, -0.1, 3};
    GradientGrid grid = new GradientGrid(1, 3, -16);
    int[] released = mechanism.seeded(grid, 2, 7).randomise(gradient);
    int[] noise = mechanism.seeded(grid, 2, 7).randomise(new double[3]);
    int[] clipped =
        mechanism.clip() == ClippingNorm.L2 ? grid.clip(gradient) : grid.clipCoordinates(gradient);
    for (int j = 0; j < 3; j++) {
      assertThat(released[j] - noise[j]).as("coordinate %s", j).isEqualTo(clipped[j]);
    }
  }

  @Tag("ci")
  @ParameterizedTest
  @MethodSource("few")
  void onAFineGridTheNoiseHasItsMomentsRadiusAndDirection(RandomiserCase mechanism, int dimension) {
    assertMoments(mechanism, dimension);
  }

  @Tag("thorough")
  @ParameterizedTest
  @MethodSource("many")
  void inManyDimensionsTheNoiseHasItsMomentsRadiusAndDirection(
      RandomiserCase mechanism, int dimension) {
    assertMoments(mechanism, dimension);
  }

  private static void assertMoments(RandomiserCase mechanism, int dimension) {
    GridRandomiser randomiser =
        mechanism.seeded(new GradientGrid(1, dimension, FINE), 2, 50 + dimension);
    double[] gradient = gradient(mechanism, dimension);
    new NoiseSample(
            mechanism.law(dimension, 2),
            () -> randomiser.randomise(gradient),
            clipped(mechanism, dimension, 1 << -FINE),
            FINE,
            draws(dimension))
        .assertLaw();
  }

  /** A coarse grid, whose steps are nearly as wide as the noise. */
  @Tag("thorough")
  @ParameterizedTest
  @MethodSource("all")
  void onACoarseGridCoordinatesHaveTheirExactLaw(RandomiserCase mechanism, int dimension) {
    boolean radial = mechanism.law(dimension, 1) instanceof NoiseLaw.L2;
    double scale = radial ? 3 / Math.sqrt(dimension + 1) : 2;
    int reach = 12;
    GridRandomiser randomiser =
        mechanism.seeded(new GradientGrid(1, dimension, 0), scale, 70 + dimension);
    NoiseLaw law = mechanism.law(dimension, scale);
    double[] gradient = gradient(mechanism, dimension);
    int[] clipped = clipped(mechanism, dimension, 1);
    int[] coordinates = {0, dimension - 1};
    long[][] observed = new long[2][2 * reach + 2];
    for (int n = 0; n < draws(dimension); n++) {
      int[] released = randomiser.randomise(gradient);
      for (int c = 0; c < 2; c++) {
        int z = released[coordinates[c]] - clipped[coordinates[c]];
        observed[c][Math.abs(z) <= reach ? z + reach : 2 * reach + 1]++;
      }
    }
    for (int c = 0; c < 2; c++) {
      double[] probabilities = new double[2 * reach + 2];
      double rest = 1;
      for (int z = -reach; z <= reach; z++) {
        probabilities[z + reach] = law.onIntegers(coordinates[c], z);
        rest -= probabilities[z + reach];
      }
      assertThat(rest).isBetween(-1e-9, 0.2);
      probabilities[2 * reach + 1] = Math.max(0, rest);
      Statistics.assertFrequencies("coordinate " + coordinates[c], observed[c], probabilities);
    }
  }

  /** A deterministic check of the declared bound. */
  @ParameterizedTest
  @MethodSource("all")
  void varianceAndBetsAreBoundedAsReported(RandomiserCase mechanism, int dimension) {
    GridRandomiser randomiser = mechanism.seeded(new GradientGrid(1, dimension, FINE), 2, 1);
    NoiseLaw law = mechanism.law(dimension, 2);
    double largest = 0;
    for (int j = 0; j <= Math.min(dimension, 4); j++) {
      double[] direction = new double[dimension];
      if (j < Math.min(dimension, 4)) {
        direction[j] = 1;
      } else {
        Arrays.fill(direction, 1 / Math.sqrt(dimension));
      }
      largest = Math.max(largest, law.secondMoment(direction));
      double variance = randomiser.subExponential().getVariance();
      double range = Math.min(randomiser.subExponential().getBetaMax(), 5 / Math.sqrt(variance));
      for (double beta = range / 8; beta <= range; beta += range / 8) {
        assertThat(Math.log(law.moments(beta, direction)))
            .as("ln E exp(%s z)", beta)
            .isLessThanOrEqualTo(beta * beta * variance / 2 * (1 + 1e-9));
      }
    }
    assertThat(randomiser.directionalVariance()).isCloseTo(largest, withinPercentage(1e-6));
    assertThat(randomiser.sensitivity()).isCloseTo(2, within(0.0));
  }
}
