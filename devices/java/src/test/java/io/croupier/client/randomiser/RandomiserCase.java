package io.croupier.client.randomiser;

import io.croupier.noise.SecureBits;
import io.croupier.noise.Statistics;
import io.croupier.schemas.SubExponential;
import java.util.function.IntToDoubleFunction;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/** Every randomiser, with the intended law of its noise. */
enum RandomiserCase {
  L2_LAPLACE(
      (grid, scale, bits) -> new L2LaplaceRandomiser(grid, level(grid, scale), bits),
      NoiseLaw.L2::new),

  COORDINATE_LAPLACE(
      (grid, scale, bits) ->
          new CoordinateLaplaceRandomiser(
              grid, filled(grid.dimension(), j -> level(grid, scale)), ClippingNorm.L2, bits),
      (dimension, scale) -> new NoiseLaw.Coordinates(filled(dimension, j -> scale))),

  /** One of four coordinates is not private, and two have different levels. */
  UNEQUAL_COORDINATE_LAPLACE(
      (grid, scale, bits) ->
          new CoordinateLaplaceRandomiser(
              grid,
              filled(grid.dimension(), j -> level(grid, scale) / factor(j)),
              ClippingNorm.COORDINATES,
              bits),
      (dimension, scale) -> new NoiseLaw.Coordinates(filled(dimension, j -> scale * factor(j)))),

  GAUSSIAN(
      (grid, scale, bits) -> new GaussianRandomiser(grid, level(grid, scale), bits),
      NoiseLaw.Normal::new),

  UNDISCLOSED(
      (grid, scale, bits) ->
          new UndisclosedRandomiser(new L2LaplaceRandomiser(grid, level(grid, scale), bits)),
      NoiseLaw.L2::new),

  /** Custom noise that is never negative before it is made symmetric. */
  OWN(
      (grid, scale, bits) ->
          new UndisclosedRandomiser(
              new OwnRandomiser(grid, new Exponential(grid.dimension(), scale), bits)),
      NoiseLaw.Turned::new);

  private static final double[] FACTORS = {1, 0, 2, 0.5};

  /** Makes a randomiser whose noise has a scale, in units of the gradient. */
  private interface Maker {
    GridRandomiser make(GradientGrid grid, double scale, SecureBits bits);
  }

  /** The law of its noise where the grid is fine. */
  private interface Law {
    NoiseLaw of(int dimension, double scale);
  }

  @SuppressWarnings("ImmutableEnumChecker") // a function of its arguments alone
  private final Maker maker;

  @SuppressWarnings("ImmutableEnumChecker") // a function of its arguments alone
  private final Law law;

  RandomiserCase(Maker maker, Law law) {
    this.maker = maker;
    this.law = law;
  }

  private static double[] filled(int dimension, IntToDoubleFunction coordinate) {
    return IntStream.range(0, dimension).mapToDouble(coordinate).toArray();
  }

  private static double factor(int coordinate) {
    return FACTORS[coordinate % FACTORS.length];
  }

  private record Exponential(int dimension, double scale) implements SymmetricNoise {
    @Override
    public void draw(RandomGenerator random, double[] noise) {
      for (int j = 0; j < noise.length; j++) {
        noise[j] = -scale * Math.log1p(-random.nextDouble());
      }
    }

    @Override
    public double directionalVariance() {
      return (dimension + 1) * scale * scale;
    }

    @Override
    public SubExponential subExponential() {
      return SubExponential.newBuilder()
          .setVariance(2 * directionalVariance())
          .setBetaMax(0.25 / scale)
          .build();
    }

    @Override
    public ReleaseCost cost() {
      return ReleaseCost.UNKNOWN;
    }
  }

  /** epsilon, tau or mu. */
  private static double level(GradientGrid grid, double scale) {
    return 2 * grid.gradientBound() / scale;
  }

  /** A reproducible randomiser whose noise has the given scale, in units of the gradient. */
  GridRandomiser seeded(GradientGrid grid, double scale, int seed) {
    return of(grid, scale, Statistics.seeded(seed));
  }

  GridRandomiser of(GradientGrid grid, double scale, SecureBits bits) {
    return maker.make(grid, scale, bits);
  }

  /** The law of its noise where the grid is fine. */
  NoiseLaw law(int dimension, double scale) {
    return law.of(dimension, scale);
  }

  /** The norm to which it clips. */
  ClippingNorm clip() {
    return this == UNEQUAL_COORDINATE_LAPLACE ? ClippingNorm.COORDINATES : ClippingNorm.L2;
  }
}
