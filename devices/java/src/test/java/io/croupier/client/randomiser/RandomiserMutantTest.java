package io.croupier.client.randomiser;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checks of {@link RandomiserStatisticalTest} detect wrong noise. */
@Tag("thorough")
class RandomiserMutantTest {
  private static final int FINE = -20;
  private static final int SEED = 5;

  /** Changes noise in grid steps. */
  private enum Flaw {
    HALF_THE_NOISE((noise, random) -> scale(noise, 0.5)),

    /**
     * A radius of shape d - 1: a Gamma variate of shape d times a Beta variate of shapes d - 1 and
     * 1.
     */
    RADIUS_OF_ONE_DEGREE_LESS(
        (noise, random) -> scale(noise, Math.pow(random.nextDouble(), 1 / (noise.length - 1.0)))),

    /** A constant radius with approximately the correct mean square. */
    CONSTANT_RADIUS(
        (noise, random) -> {
          double d = noise.length;
          scale(noise, (2 << -FINE) * Math.sqrt(d * (d + 1)) / norm(noise));
        }),

    BIASED_SIGN(
        (noise, random) -> noise[0] = random.nextInt(10) == 0 ? Math.abs(noise[0]) : noise[0]),

    CENTRE_THAT_IS_OFF((noise, random) -> noise[0] += 0.2 * norm(noise) / Math.sqrt(noise.length)),

    /** A direction that depends on the radius, though each has its correct law. */
    DIRECTION_BY_RADIUS(
        (noise, random) -> {
          double d = noise.length;
          boolean far = norm(noise) > (2 << -FINE) * d;
          int largest = 0;
          for (int j = 1; j < d; j++) {
            largest = Math.abs(noise[j]) > Math.abs(noise[largest]) ? j : largest;
          }
          if (far != (largest == 0)) {
            int other = far ? largest : 1;
            double first = noise[0];
            noise[0] = noise[other];
            noise[other] = first;
          }
        }),

    SIGN_BY_RADIUS(
        (noise, random) -> {
          double d = noise.length;
          noise[0] = Math.copySign(noise[0], norm(noise) - (2 << -FINE) * (d - 1 / 3.0));
        }),

    SHARED_SIGN(
        (noise, random) ->
            noise[noise.length - 1] = Math.copySign(noise[noise.length - 1], noise[0])),

    OFF_THE_GRID((noise, random) -> noise[0] = random.nextInt(1000) == 0 ? -1e300 : noise[0]);

    @SuppressWarnings("ImmutableEnumChecker") // a function of its argument alone
    private final BiConsumer<double[], Random> spoiler;

    Flaw(BiConsumer<double[], Random> spoiler) {
      this.spoiler = spoiler;
    }

    void spoil(double[] noise, Random random) {
      spoiler.accept(noise, random);
    }

    private static void scale(double[] noise, double factor) {
      for (int j = 0; j < noise.length; j++) {
        noise[j] *= factor;
      }
    }

    private static double norm(double[] noise) {
      double squares = 0;
      for (double z : noise) {
        squares += z * z;
      }
      return Math.sqrt(squares);
    }
  }

  private static NoiseSample sample(
      RandomiserCase mechanism, int dimension, Consumer<double[]> flaw, double[] gradient) {
    GridRandomiser randomiser = mechanism.seeded(new GradientGrid(1, dimension, FINE), 2, SEED);
    int[] clipped = RandomiserStatisticalTest.clipped(mechanism, dimension, 1 << -FINE);
    return new NoiseSample(
        mechanism.law(dimension, 2),
        () -> {
          int[] released = randomiser.randomise(gradient);
          double[] noise = new double[dimension];
          for (int j = 0; j < dimension; j++) {
            noise[j] = (double) released[j] - clipped[j];
          }
          flaw.accept(noise);
          for (int j = 0; j < dimension; j++) {
            released[j] = clipped[j] + (int) Math.rint(noise[j]);
          }
          return released;
        },
        clipped,
        FINE,
        RandomiserStatisticalTest.draws(dimension));
  }

  @ParameterizedTest
  @CsvSource({
    "HALF_THE_NOISE, L2_LAPLACE, 1",
    "HALF_THE_NOISE, L2_LAPLACE, 1000",
    "HALF_THE_NOISE, COORDINATE_LAPLACE, 1",
    "HALF_THE_NOISE, COORDINATE_LAPLACE, 1000",
    "HALF_THE_NOISE, UNEQUAL_COORDINATE_LAPLACE, 10",
    "HALF_THE_NOISE, GAUSSIAN, 1",
    "HALF_THE_NOISE, GAUSSIAN, 1000",
    "HALF_THE_NOISE, OWN, 10",
    "HALF_THE_NOISE, UNDISCLOSED, 2",
    "RADIUS_OF_ONE_DEGREE_LESS, L2_LAPLACE, 2",
    "RADIUS_OF_ONE_DEGREE_LESS, L2_LAPLACE, 10",
    "RADIUS_OF_ONE_DEGREE_LESS, OWN, 10",
    "RADIUS_OF_ONE_DEGREE_LESS, COORDINATE_LAPLACE, 10",
    "CONSTANT_RADIUS, L2_LAPLACE, 1",
    "CONSTANT_RADIUS, L2_LAPLACE, 10",
    "CONSTANT_RADIUS, L2_LAPLACE, 1000",
    "BIASED_SIGN, L2_LAPLACE, 1",
    "BIASED_SIGN, COORDINATE_LAPLACE, 10",
    "BIASED_SIGN, GAUSSIAN, 2",
    "BIASED_SIGN, OWN, 1",
    "CENTRE_THAT_IS_OFF, L2_LAPLACE, 10",
    "CENTRE_THAT_IS_OFF, COORDINATE_LAPLACE, 2",
    "CENTRE_THAT_IS_OFF, GAUSSIAN, 10",
    "CENTRE_THAT_IS_OFF, OWN, 10",
    "DIRECTION_BY_RADIUS, L2_LAPLACE, 2",
    "DIRECTION_BY_RADIUS, L2_LAPLACE, 10",
    "DIRECTION_BY_RADIUS, L2_LAPLACE, 1000",
    "DIRECTION_BY_RADIUS, COORDINATE_LAPLACE, 10",
    "SIGN_BY_RADIUS, L2_LAPLACE, 1",
    "SIGN_BY_RADIUS, L2_LAPLACE, 2",
    "SIGN_BY_RADIUS, L2_LAPLACE, 1000",
    "SHARED_SIGN, L2_LAPLACE, 2",
    "SHARED_SIGN, GAUSSIAN, 10",
    "SHARED_SIGN, COORDINATE_LAPLACE, 1000",
    "OFF_THE_GRID, L2_LAPLACE, 2",
    "OFF_THE_GRID, GAUSSIAN, 2"
  })
  void aFlawIsNoticed(Flaw flaw, RandomiserCase mechanism, int dimension) {
    Random random = new Random(SEED);
    double[] gradient = RandomiserStatisticalTest.gradient(mechanism, dimension);
    assertThatThrownBy(
            () ->
                sample(mechanism, dimension, noise -> flaw.spoil(noise, random), gradient)
                    .assertLaw())
        .isInstanceOf(AssertionError.class);
  }

  /** A law is replaced by another one of the same variance. */
  @ParameterizedTest
  @CsvSource({"1", "2", "10", "1000"})
  void anotherLawOfTheSameVarianceIsNoticed(int dimension) {
    GradientGrid grid = new GradientGrid(1, dimension, FINE);
    GridRandomiser laplace = RandomiserCase.L2_LAPLACE.seeded(grid, 2, SEED);
    NoiseLaw normal = new NoiseLaw.Normal(dimension, 2 * Math.sqrt(dimension + 1));
    double[] gradient = new double[dimension];
    assertThatThrownBy(
            () ->
                new NoiseSample(
                        normal,
                        () -> laplace.randomise(gradient),
                        new int[dimension],
                        FINE,
                        RandomiserStatisticalTest.draws(dimension))
                    .assertLaw())
        .isInstanceOf(AssertionError.class);
  }
}
