package io.croupier.noise;

import java.util.Arrays;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** With new seeds, a false alarm of this class would have a probability below 1e-6. */
class ExactNoiseTest {
  private static final int COUNT = 200_000;

  private static ExactNoise seeded(int seed) {
    return new ExactNoise(InsecureNoise.integers(seed));
  }

  private static double laplace(long z, int scale) {
    double q = Math.exp(-1.0 / scale);
    return (1 - q) / (1 + q) * Math.pow(q, (double) Math.abs(z));
  }

  /** Counts draws in -reach .. reach, and all others in the last place. */
  private static void assertLaw(IntToLongFunction draw, DiscreteLaw law, int reach) {
    long[] observed = new long[2 * reach + 2];
    double[] probabilities = new double[2 * reach + 2];
    double rest = 1;
    for (int z = -reach; z <= reach; z++) {
      probabilities[z + reach] = law.probability(z);
      rest -= law.probability(z);
    }
    probabilities[2 * reach + 1] = rest;
    for (int n = 0; n < COUNT; n++) {
      long z = draw.applyAsLong(n);
      observed[Math.abs(z) <= reach ? (int) z + reach : 2 * reach + 1]++;
    }
    Statistics.assertFrequencies("noise", observed, probabilities);
  }

  private interface DiscreteLaw {
    double probability(long z);
  }

  @ParameterizedTest
  @CsvSource({"1, 7", "2, 15", "3, 20", "17, 80"})
  void laplaceHasItsLaw(int scale, int reach) {
    ExactNoise noise = seeded(scale);
    assertLaw(n -> noise.laplace(scale), z -> laplace(z, scale), reach);
  }

  @ParameterizedTest
  @CsvSource({"1, 3", "2, 7", "3, 10", "17, 58"})
  void gaussianHasItsLaw(int sigma, int reach) {
    ExactNoise noise = seeded(sigma);
    assertLaw(n -> noise.gaussian(sigma), z -> DiscreteGaussianLaw.probability(z, sigma), reach);
  }

  /** Residues, which reveal whether draws of a wide law are too coarse. */
  @ParameterizedTest
  @ValueSource(ints = {1 << 17, (1 << 26) - 5, ExactNoise.LARGEST_SCALE})
  void wideLawsAreFlatOnTheSmallestSteps(int scale) {
    ExactNoise noise = seeded(3);
    long[] laplace = new long[64];
    long[] gaussian = new long[64];
    for (int n = 0; n < COUNT; n++) {
      laplace[(int) noise.laplace(scale) & 63]++;
      gaussian[(int) noise.gaussian(scale) & 63]++;
    }
    double[] flat = new double[64];
    Arrays.fill(flat, 1.0 / 64);
    Statistics.assertFrequencies("laplace", laplace, flat);
    Statistics.assertFrequencies("gaussian", gaussian, flat);
  }

  @ParameterizedTest
  @ValueSource(ints = {1 << 17, ExactNoise.LARGEST_SCALE})
  void wideLawsHaveTheMomentsOfContinuousOnes(int scale) {
    ExactNoise noise = seeded(4);
    double[] laplace = new double[COUNT];
    double[] gaussian = new double[COUNT];
    for (int n = 0; n < COUNT; n++) {
      laplace[n] = (double) noise.laplace(scale) / scale;
      gaussian[n] = (double) noise.gaussian(scale) / scale;
    }
    // Fourth moments are 24 and 3.
    Statistics.assertCentred("laplace", laplace, 2);
    Statistics.assertMean("laplace", squares(laplace), 2, 20, 1e-4);
    Statistics.assertCentred("gaussian", gaussian, 1);
    Statistics.assertMean("gaussian", squares(gaussian), 1, 2, 1e-4);
  }

  private static double[] squares(double[] sample) {
    return Arrays.stream(sample).map(x -> x * x).toArray();
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 1", "1, 2", "3, 7", "1000000007, 2305843009213693952"})
  void survivesWithTheExponentialsProbability(long numerator, long denominator) {
    ExponentialCoins coins = new ExponentialCoins(InsecureNoise.integers(5));
    double[] survived = new double[COUNT];
    Arrays.setAll(survived, n -> coins.survives(numerator, denominator) ? 1 : 0);
    double p = Math.exp(-(double) numerator / denominator);
    Statistics.assertMean("survivals", survived, p, p * (1 - p), 1e-15);
  }
}
