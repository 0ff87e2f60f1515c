package io.croupier.client.randomiser;

import io.croupier.noise.Statistics;
import io.croupier.schemas.SubExponential;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/** Every randomiser, with the intended law of its noise. */
enum RandomiserCase {
  L2_LAPLACE {
    @Override
    GridRandomiser seeded(GradientGrid grid, double scale, int seed) {
      return new L2LaplaceRandomiser(grid, level(grid, scale), Statistics.seeded(seed));
    }

    @Override
    NoiseLaw law(int dimension, double scale) {
      return new NoiseLaw.L2(dimension, scale);
    }
  },

  COORDINATE_LAPLACE {
    @Override
    GridRandomiser seeded(GradientGrid grid, double scale, int seed) {
      double[] taus = new double[grid.dimension()];
      Arrays.fill(taus, level(grid, scale));
      return new CoordinateLaplaceRandomiser(grid, taus, ClippingNorm.L2, Statistics.seeded(seed));
    }

    @Override
    NoiseLaw law(int dimension, double scale) {
      double[] scales = new double[dimension];
      Arrays.fill(scales, scale);
      return new NoiseLaw.Coordinates(scales);
    }
  },

  /** One of four coordinates is not private, and two have different levels. */
  UNEQUAL_COORDINATE_LAPLACE {
    @Override
    GridRandomiser seeded(GradientGrid grid, double scale, int seed) {
      double[] taus = new double[grid.dimension()];
      Arrays.setAll(taus, j -> level(grid, scale) / FACTORS[j % FACTORS.length]);
      return new CoordinateLaplaceRandomiser(
          grid, taus, ClippingNorm.COORDINATES, Statistics.seeded(seed));
    }

    @Override
    NoiseLaw law(int dimension, double scale) {
      double[] scales = new double[dimension];
      Arrays.setAll(scales, j -> scale * FACTORS[j % FACTORS.length]);
      return new NoiseLaw.Coordinates(scales);
    }
  },

  GAUSSIAN {
    @Override
    GridRandomiser seeded(GradientGrid grid, double scale, int seed) {
      return new GaussianRandomiser(grid, level(grid, scale), Statistics.seeded(seed));
    }

    @Override
    NoiseLaw law(int dimension, double scale) {
      return new NoiseLaw.Normal(dimension, scale);
    }
  },

  UNDISCLOSED {
    @Override
    GridRandomiser seeded(GradientGrid grid, double scale, int seed) {
      return new UndisclosedRandomiser(L2_LAPLACE.seeded(grid, scale, seed));
    }

    @Override
    NoiseLaw law(int dimension, double scale) {
      return L2_LAPLACE.law(dimension, scale);
    }
  },

  /** Custom noise that is never negative before it is made symmetric. */
  OWN {
    @Override
    GridRandomiser seeded(GradientGrid grid, double scale, int seed) {
      return new UndisclosedRandomiser(
          new OwnRandomiser(
              grid, new Exponential(grid.dimension(), scale), Statistics.seeded(seed)));
    }

    @Override
    NoiseLaw law(int dimension, double scale) {
      return new NoiseLaw.Turned(dimension, scale);
    }
  };

  private static final double[] FACTORS = {1, 0, 2, 0.5};

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
  abstract GridRandomiser seeded(GradientGrid grid, double scale, int seed);

  /** The law of its noise where the grid is fine. */
  abstract NoiseLaw law(int dimension, double scale);

  /** The norm to which it clips. */
  ClippingNorm clip() {
    return this == UNEQUAL_COORDINATE_LAPLACE ? ClippingNorm.COORDINATES : ClippingNorm.L2;
  }
}
