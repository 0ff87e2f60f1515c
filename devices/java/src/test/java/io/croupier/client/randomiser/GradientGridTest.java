package io.croupier.client.randomiser;

import static io.croupier.noise.Refusals.assertRefused;
import static io.croupier.noise.Refusals.assertRefusedWith;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.noise.Statistics;
import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GradientGridTest {

  @Test
  void gradientsInsideTheBallAreRoundedTowardsZero() {
    GradientGrid grid = new GradientGrid(1, 4, -3);
    assertThat(grid.clip(new double[] {0.3, -0.3, 0.124, -0.0})).containsExactly(2, -2, 0, 0);
  }

  @Test
  void clippedGradientsKeepTheirDirection() {
    int[] clipped = new GradientGrid(5, 2, -20).clip(new double[] {300, -400});
    assertThat(Math.scalb((double) clipped[0], -20)).isCloseTo(3, within(0x1p-20));
    assertThat(Math.scalb((double) clipped[1], -20)).isCloseTo(-4, within(0x1p-20));
  }

  @Test
  void clipsGradientsWhoseNormOverflows() {
    GradientGrid grid = new GradientGrid(2, 4, -10);
    double m = Double.MAX_VALUE;
    assertThat(grid.clip(new double[] {m, -m, m, m})).containsExactly(1024, -1024, 1024, 1024);
    assertThat(grid.clip(new double[] {Double.MIN_VALUE, 0, 0, 1e-300})).containsOnly(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 100, 10_000})
  void theResultIsNeverLongerThanTheBoundNotEvenByRounding(int dimension) {
    Random random = new Random(dimension);
    for (int trial = 0; trial < 100; trial++) {
      double bound = Math.exp(random.nextGaussian());
      // Fine enough for rounding to matter: 2^30 steps or so.
      int exponent = Math.getExponent(bound) - 29;
      GradientGrid grid = new GradientGrid(bound, dimension, exponent);
      double[] gradient = random.doubles(dimension, -bound, bound).toArray();
      BigDecimal limit = new BigDecimal(grid.inSteps(bound)).pow(2);
      long exact = 0;
      for (int k : grid.clip(gradient)) {
        exact += (long) k * k;
      }
      assertThat(new BigDecimal(exact)).as("trial %d", trial).isLessThanOrEqualTo(limit);
      if (Math.sqrt(Statistics.dot(gradient, gradient)) > bound) {
        assertThat(Math.sqrt((double) exact) / grid.inSteps(bound)).isCloseTo(1, within(1e-6));
      }
    }
  }

  @Test
  void doesNotModifyTheGradient() {
    double[] gradient = {3, 4};
    new GradientGrid(1, 2, -16).clip(gradient);
    assertThat(gradient).containsExactly(3, 4);
  }

  @Test
  void refusesInvalidGradientsWithoutQuotingThem() {
    GradientGrid grid = new GradientGrid(1, 2, -16);
    assertRefused(() -> grid.clip(new double[3]), "gradient has 3 coordinates; the model has 2");
    assertRefused(
        () -> grid.clipCoordinates(new double[3]), "gradient has 3 coordinates; the model has 2");
  }

  /** A failure instead would reveal that the gradient was not finite. */
  @Test
  void nonFiniteGradientsBecomeZero() {
    GradientGrid grid = new GradientGrid(1, 2, -16);
    for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY, -1 / 0.0}) {
      assertThat(grid.clip(new double[] {0.25, bad})).containsExactly(0, 0);
      assertThat(grid.clip(new double[] {bad, 0.25})).containsExactly(0, 0);
      assertThat(grid.clipCoordinates(new double[] {0.25, bad}))
          .as("no other coordinate depends on it")
          .containsExactly(1 << 14, 0);
    }
  }

  @Test
  void addsInIntegersAndSaturates() {
    assertThat(GradientGrid.add(7, -2.4)).isEqualTo(5);
    assertThat(GradientGrid.add(7, 0.5)).isEqualTo(7);
    assertThat(GradientGrid.add(GradientGrid.LARGEST, 1)).isEqualTo(GradientGrid.LARGEST);
    assertThat(GradientGrid.add(-5, -1e300)).isEqualTo(-GradientGrid.LARGEST);
    assertThat(GradientGrid.add(5, 1e300)).isEqualTo(GradientGrid.LARGEST);
  }

  @Test
  void clipsEveryCoordinateToTheCubeAndRoundsTowardsZero() {
    GradientGrid grid = new GradientGrid(0.8, 6, -3);
    double m = Double.MAX_VALUE;
    assertThat(grid.clipCoordinates(new double[] {0.3, -0.3, 0.79, -0.81, m, -m}))
        .containsExactly(2, -2, 6, -6, 6, -6);
  }

  @Test
  void saturatesSumsOfIntegers() {
    assertThat(GradientGrid.saturate(-5)).isEqualTo(-5);
    assertThat(GradientGrid.saturate(1L << 31)).isEqualTo(GradientGrid.LARGEST);
    assertThat(GradientGrid.saturate(-1L << 62)).isEqualTo(-GradientGrid.LARGEST);
  }

  /** No level gets less noise than it requires, nor a whole step more. */
  @Test
  void noiseTakesTheLeastNumberOfStepsThatIsEnough() {
    Random random = new Random(1);
    for (int trial = 0; trial < 2_000; trial++) {
      double bound = Math.scalb(0.5 + random.nextDouble(), random.nextInt(-370, 370));
      int exponent = Math.getExponent(bound) - random.nextInt(20);
      double level =
          trial % 2 == 0 ? Math.exp(3 * random.nextGaussian()) : 1.0 / random.nextInt(1, 20);
      double steps = new GradientGrid(bound, 1, exponent).noiseSteps(level, exponent);
      BigDecimal sensitivity = new BigDecimal(Math.scalb(bound, 1 - exponent));
      BigDecimal tau = new BigDecimal(level);
      assertThat(tau.multiply(new BigDecimal(steps)))
          .as("trial %d", trial)
          .isGreaterThanOrEqualTo(sensitivity);
      assertThat(tau.multiply(new BigDecimal(steps - 1)))
          .as("trial %d", trial)
          .isLessThan(sensitivity);
    }
  }

  @Test
  void noiseTakesAWholeStepAtLeastAndWithstandsExtremes() {
    GradientGrid grid = new GradientGrid(Double.MIN_VALUE, 1, 0);
    assertThat(grid.noiseSteps(Double.MAX_VALUE, 400)).isEqualTo(1);
    assertThat(new GradientGrid(Double.MAX_VALUE, 1, 0).noiseSteps(1e-300, -400)).isInfinite();
  }

  @Test
  void refusesInvalidGrids() {
    assertRefusedWith(() -> new GradientGrid(0, 1, 0), "gradientBound is 0.0");
    assertRefusedWith(() -> new GradientGrid(Double.NaN, 1, 0), "gradientBound is NaN");
    assertRefusedWith(() -> new GradientGrid(1, 0, 0), "dimension is 0");
    assertRefusedWith(() -> new GradientGrid(1, 1, 401), "gridExponent is 401");
  }
}
