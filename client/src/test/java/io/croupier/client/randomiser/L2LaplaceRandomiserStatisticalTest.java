package io.croupier.client.randomiser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.apache.commons.numbers.gamma.RegularizedBeta;
import org.apache.commons.numbers.gamma.RegularizedGamma;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With new seeds, a false alarm of this class would have a probability below 1e-6. */
class L2LaplaceRandomiserStatisticalTest {
  private static final double BOUND = 1.5;
  private static final double EPSILON = 3;
  private static final double SCALE = 2 * BOUND / EPSILON;

  private static L2LaplaceRandomiser randomiser(int dimension, int seed) {
    return new L2LaplaceRandomiser(
        new GradientGrid(BOUND, dimension, -20), EPSILON, Statistics.seeded(seed));
  }

  private static double norm(double[] z) {
    return Math.sqrt(Statistics.dot(z, z));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 10, 1000})
  void radiusIsGamma(int dimension) {
    Randomiser randomiser = randomiser(dimension, 11);
    double[] sample = new double[dimension == 1000 ? 3_000 : 50_000];
    for (int i = 0; i < sample.length; i++) {
      sample[i] = norm(Statistics.values(randomiser, new double[dimension]));
    }
    Statistics.assertLaw(sample, r -> RegularizedGamma.P.value(dimension, r / SCALE));
  }

  /** The squared cosine with any fixed direction is Beta(1/2, (d - 1)/2), its sign a fair coin. */
  @ParameterizedTest
  @ValueSource(ints = {2, 10, 100})
  void directionIsUniform(int dimension) {
    Randomiser randomiser = randomiser(dimension, 12);
    double[][] fixed = new double[2][dimension];
    fixed[0][dimension - 1] = 1;
    for (int i = 0; i < dimension; i++) {
      fixed[1][i] = (i % 2 == 0 ? 1 : -1) / Math.sqrt(dimension);
    }
    double[][] squares = new double[2][20_000];
    double[] signs = new double[2];
    for (int n = 0; n < 20_000; n++) {
      double[] z = Statistics.values(randomiser, new double[dimension]);
      for (int f = 0; f < 2; f++) {
        double cosine = Statistics.dot(z, fixed[f]) / norm(z);
        squares[f][n] = cosine * cosine;
        signs[f] += Math.signum(cosine);
      }
    }
    for (int f = 0; f < 2; f++) {
      Statistics.assertMean(signs[f] / 20_000, 0, 1, 20_000);
      Statistics.assertLaw(
          squares[f], s -> RegularizedBeta.value(Math.min(1, s), 0.5, (dimension - 1) / 2.0));
    }
  }

  @Test
  void inOneDimensionTheSignIsAFairCoinIndependentOfTheRadius() {
    Randomiser randomiser = randomiser(1, 13);
    int count = 100_000;
    double signs = 0;
    double signed = 0;
    for (int n = 0; n < count; n++) {
      double z = Statistics.values(randomiser, new double[1])[0];
      signs += Math.signum(z);
      signed += z;
    }
    Statistics.assertMean(signs / count, 0, 1, count);
    Statistics.assertMean(signed / count, 0, 2 * SCALE * SCALE, count);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 10, 1000})
  void varianceAlongADirectionIsAsDeclared(int dimension) {
    Randomiser randomiser = randomiser(dimension, 14);
    double[] direction = new double[dimension];
    for (int i = 0; i < dimension; i++) {
      direction[i] = 1 / Math.sqrt(dimension);
    }
    int count = dimension == 1000 ? 3_000 : 50_000;
    double squares = 0;
    for (int n = 0; n < count; n++) {
      double along =
          Statistics.dot(Statistics.values(randomiser, new double[dimension]), direction);
      squares += along * along;
    }
    double variance = randomiser.directionalVariance();
    assertThat(variance).isCloseTo((dimension + 1) * SCALE * SCALE, withinPercentage(1e-12));
    // From the moment generating function: E along^4 = 3 (d + 1)(d + 3) / c^4.
    double fourth = 3 * (dimension + 1.0) * (dimension + 3) * Math.pow(SCALE, 4);
    Statistics.assertMean(squares / count, variance, fourth - variance * variance, count);
  }

  @Test
  void differentCoordinatesAreUncorrelated() {
    int d = 10;
    int count = 20_000;
    Randomiser randomiser = randomiser(d, 15);
    double[][] products = new double[d][d];
    for (int n = 0; n < count; n++) {
      double[] z = Statistics.values(randomiser, new double[d]);
      for (int i = 0; i < d; i++) {
        for (int j = 0; j < i; j++) {
          products[i][j] += z[i] * z[j];
        }
      }
    }
    // E z_i^2 z_j^2 = (d + 1)(d + 3) / c^4.
    double variance = (d + 1.0) * (d + 3) * Math.pow(SCALE, 4);
    for (int i = 0; i < d; i++) {
      for (int j = 0; j < i; j++) {
        Statistics.assertMean(products[i][j] / count, 0, variance, count);
      }
    }
  }

  @Test
  void theMeanIsTheClippedGradient() {
    double[] gradient = {2, -1, 0, 2};
    double[] clipped = {1, -0.5, 0, 1};
    Randomiser randomiser = randomiser(4, 16);
    int count = 50_000;
    double[] sums = new double[4];
    for (int n = 0; n < count; n++) {
      double[] released = Statistics.values(randomiser, gradient);
      for (int i = 0; i < 4; i++) {
        sums[i] += released[i];
      }
    }
    for (int i = 0; i < 4; i++) {
      Statistics.assertMean(sums[i] / count, clipped[i], randomiser.directionalVariance(), count);
    }
  }
}
