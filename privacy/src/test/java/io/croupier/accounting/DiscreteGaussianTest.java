package io.croupier.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiscreteGaussianTest {
  private static final double LOG_DELTA = StrictMath.log(1e-6);

  /**
   * The delta of integer noise in one coordinate, between inputs that differ by {@code steps} grid
   * steps.
   */
  private static double delta(double epsilon, double deviation, int steps) {
    double total = 0;
    for (int z = -2000; z <= 2000; z++) {
      total += density(z, deviation);
    }
    double delta = 0;
    for (int z = -2000; z <= 2000; z++) {
      double excess = density(z, deviation) - Math.exp(epsilon) * density(z - steps, deviation);
      delta += Math.max(0, excess) / total;
    }
    return delta;
  }

  private static double density(int z, double deviation) {
    return Math.exp(-(double) z * z / 2 / deviation / deviation);
  }

  /** A grid step of half the noise, for which the Gaussian trade-off overstates the guarantee. */
  @Test
  void usageExample() {
    double gaussian = GaussianDp.epsilon(1, LOG_DELTA);
    assertThat(gaussian).isCloseTo(4.887, within(1e-3));
    assertThat(delta(gaussian, 2, 2)).isCloseTo(1.24e-6, within(1e-8));

    double variation = DiscreteGaussian.variation(1, 2);
    assertThat(variation).isCloseTo(1.0 / 96, within(1e-12));
    assertThat(DiscreteGaussian.epsilon(1, variation, LOG_DELTA)).isInfinite();
    // Only the zero-concentrated guarantee remains, which is exact.
    assertThat(delta(ZeroConcentratedDp.epsilon(0.5, LOG_DELTA), 2, 2)).isLessThan(1e-6);
  }

  @ParameterizedTest
  @CsvSource({"1, 100, 1e-3", "1, 400, 1e-4", "0.5, 20, 1e-2", "0.25, 40, 1e-3", "2, 1000, 1e-2"})
  void epsilonIsNeverBelowTheTrueOne(double mu, int deviation, double wanted) {
    int steps = (int) Math.round(mu * deviation);
    double logDelta = StrictMath.log(wanted);
    double variation = DiscreteGaussian.variation(1, deviation);
    double epsilon = DiscreteGaussian.epsilon(mu, variation, logDelta);
    assertThat(epsilon).isFinite().isGreaterThanOrEqualTo(GaussianDp.epsilon(mu, logDelta));
    assertThat(delta(epsilon, deviation, steps)).isLessThanOrEqualTo(wanted);
    double all = Math.exp(GaussianDp.logDelta(epsilon, mu)) + (1 + Math.exp(epsilon)) * variation;
    assertThat(all).as("by the formula").isLessThanOrEqualTo(wanted).isGreaterThan(0.9 * wanted);
  }

  @Test
  void withoutADistanceNothingChanges() {
    for (double mu : new double[] {0, 0.1, 1, 10, Double.POSITIVE_INFINITY}) {
      assertThat(DiscreteGaussian.epsilon(mu, 0, LOG_DELTA))
          .isEqualTo(GaussianDp.epsilon(mu, LOG_DELTA));
    }
    assertThat(DiscreteGaussian.epsilon(1, Double.POSITIVE_INFINITY, LOG_DELTA)).isInfinite();
    assertThat(DiscreteGaussian.mu(3, 0, LOG_DELTA)).isEqualTo(GaussianDp.mu(3, LOG_DELTA));
  }

  @ParameterizedTest
  @CsvSource({"1, 1e-12", "1, 1e-8", "5, 1e-10", "5, 1e-6", "0.1, 1e-5", "20, 1e-16"})
  void muIsTheLargestThatKeepsBoth(double epsilon, double rate) {
    double mu = DiscreteGaussian.mu(epsilon, rate, LOG_DELTA);
    assertThat(mu).isPositive().isLessThanOrEqualTo(GaussianDp.mu(epsilon, LOG_DELTA));
    assertThat(all(epsilon, rate, mu)).isLessThanOrEqualTo(1e-6);
    assertThat(all(epsilon, rate, mu * 1.001)).isGreaterThan(1e-6);
  }

  private static double all(double epsilon, double rate, double mu) {
    return Math.exp(GaussianDp.logDelta(epsilon, mu)) + (1 + Math.exp(epsilon)) * rate * mu * mu;
  }

  /** The distance itself for one coordinate: half the sum of absolute differences. */
  @ParameterizedTest
  @CsvSource({"1", "2", "5", "30"})
  void theDistanceIsNoLessThanThatOfTheLaws(int deviation) {
    double total = 0;
    for (int z = -40 * deviation; z <= 40 * deviation; z++) {
      total += density(z, deviation);
    }
    double distance = 0;
    for (int z = 0; z <= 40 * deviation; z++) {
      double rounded = normal((z - 0.5) / deviation) - normal((z + 0.5) / deviation);
      double difference = Math.abs(density(z, deviation) / total - rounded) / 2;
      distance += z == 0 ? difference : 2 * difference;
    }
    assertThat(distance)
        .isLessThanOrEqualTo(DiscreteGaussian.variation(1, deviation))
        .isGreaterThan(0.3 * DiscreteGaussian.variation(1, deviation));
  }

  /** The normal tail beyond x, by mu-GDP's own tail: delta(0) of mu is 2 Phi(mu / 2) - 1. */
  private static double normal(double x) {
    double mass = Math.exp(GaussianDp.logDelta(0, 2 * Math.abs(x)));
    return x >= 0 ? (1 - mass) / 2 : (1 + mass) / 2;
  }
}
