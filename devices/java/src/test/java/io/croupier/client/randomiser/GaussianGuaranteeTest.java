package io.croupier.client.randomiser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.croupier.noise.DiscreteGaussianLaw;
import org.apache.commons.numbers.gamma.Erfc;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The stated guarantees of {@link GaussianRandomiser}, verified by summation. */
class GaussianGuaranteeTest {

  /** The smallest sigmas, and 2^10, the value on the coarsest sensible grid. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 1 << 10, 1 << 14})
  void isAsNearToRoundedNormalNoiseAsStated(int sigma) {
    double distance = 0;
    double divergence = 0;
    double mass = DiscreteGaussianLaw.mass(sigma);
    long reach = DiscreteGaussianLaw.reach(sigma);
    for (long z = -reach; z <= reach; z++) {
      double excess = DiscreteGaussianLaw.roundedExcess(z, sigma) + (mass - 1);
      double p = DiscreteGaussianLaw.probability(z, sigma);
      distance += p * Math.abs(excess) / 2;
      divergence -= p * Math.log1p(excess);
    }
    double variance = (double) sigma * sigma;
    assertThat(distance * variance).isBetween(0.3 / 24, 1.0 / 24);
    assertThat(divergence * variance * variance).isBetween(1.0 / 1000, 1.0 / 128);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 6})
  void inTwoDimensionsTheDistanceIsBelowBothBounds(int sigma) {
    double distance = 0;
    long reach = DiscreteGaussianLaw.reach(sigma);
    for (long y = -reach; y <= reach; y++) {
      for (long z = -reach; z <= reach; z++) {
        double discrete =
            DiscreteGaussianLaw.probability(y, sigma) * DiscreteGaussianLaw.probability(z, sigma);
        distance += Math.abs(discrete - rounded(y, sigma) * rounded(z, sigma)) / 2;
      }
    }
    assertThat(distance * sigma * sigma).isLessThan(Math.min(2.0 / 24, Math.sqrt(2) / 16));
  }

  private static double rounded(long z, int sigma) {
    return DiscreteGaussianLaw.density(z, sigma)
        * (1 + DiscreteGaussianLaw.roundedExcess(z, sigma));
  }

  /** The bound holds, and a bound of this order is necessary: the law itself is not mu-GDP. */
  @Tag("ci")
  @ParameterizedTest
  @ValueSource(doubles = {0.25, 1, 2})
  void deltaExceedsThatOfGdpByAsLittleAsStated(double mu) {
    int sigma = 1 << 10;
    double bound = 1.0 / (24.0 * sigma * sigma);
    double largest = 0;
    for (int i = 0; i <= 100; i++) {
      double epsilon = i * 0.03;
      double excess = delta(epsilon, sigma, Math.round(mu * sigma)) - gdp(epsilon, mu);
      assertThat(excess).isLessThan((1 + Math.exp(epsilon)) * bound);
      largest = Math.max(largest, excess);
    }
    assertThat(largest).isGreaterThan(bound / 20);
  }

  private static double delta(double epsilon, int sigma, long shift) {
    double delta = 0;
    long reach = DiscreteGaussianLaw.reach(sigma);
    for (long z = -reach - shift; z <= reach; z++) {
      double p = DiscreteGaussianLaw.probability(z, sigma);
      double q = DiscreteGaussianLaw.probability(z + shift, sigma);
      delta += Math.max(0, p - Math.exp(epsilon) * q);
    }
    return delta;
  }

  private static double gdp(double epsilon, double mu) {
    return normal(-epsilon / mu + mu / 2) - Math.exp(epsilon) * normal(-epsilon / mu - mu / 2);
  }

  private static double normal(double x) {
    return Erfc.value(-x / Math.sqrt(2)) / 2;
  }

  /** zCDP, exactly: the Renyi divergence of every order is at most that of normal noise. */
  @ParameterizedTest
  @ValueSource(doubles = {1.01, 1.5, 2, 3.3, 10})
  void renyiDivergencesAreThoseOfNormalNoise(double order) {
    for (int sigma : new int[] {1, 2, 7}) {
      int shift = 3;
      double sum = 0;
      long reach = 60L * sigma;
      for (long z = -reach; z <= reach; z++) {
        double variance = (double) sigma * sigma;
        double toShifted = (double) (z - shift) * (z - shift) / (2 * variance);
        double toCentre = (double) z * z / (2 * variance);
        double normalising = sigma * Math.sqrt(2 * Math.PI) * DiscreteGaussianLaw.mass(sigma);
        sum += Math.exp(-order * toShifted - (1 - order) * toCentre) / normalising;
      }
      double rho = (double) shift * shift / (2.0 * sigma * sigma);
      assertThat(Math.log(sum) / (order - 1)).isLessThanOrEqualTo(order * rho * (1 + 1e-12));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void varianceAndTailsAreAsStated(int sigma) {
    // A grid of whole numbers, with 2G / mu = sigma.
    GaussianRandomiser randomiser = new GaussianRandomiser(0.5 * sigma, 3, 0, 1);
    double variance = 0;
    for (long z = -30L * sigma; z <= 30L * sigma; z++) {
      variance += DiscreteGaussianLaw.probability(z, sigma) * z * z;
    }
    assertThat(randomiser.directionalVariance()).isCloseTo(variance, withinPercentage(1e-12));
    assertThat(randomiser.directionalVariance()).isLessThanOrEqualTo((double) sigma * sigma);
    for (long room = 1; room <= 8L * sigma; room++) {
      double tail = 0;
      for (long z = room + 1; z <= 30L * sigma; z++) {
        tail += 2 * DiscreteGaussianLaw.probability(z, sigma);
      }
      assertThat(tail).isLessThanOrEqualTo(Math.exp(-(double) room * room / (2.0 * sigma * sigma)));
    }
  }

  @Test
  void declaredPairIsTheLeastBound() {
    GaussianRandomiser randomiser = new GaussianRandomiser(1, 3, 0, 1);
    assertThat(randomiser.subExponential().getBetaMax()).isInfinite();
    assertThat(randomiser.subExponential().getVariance()).isEqualTo(4);
    for (double beta = -3; beta <= 3; beta += 0.05) {
      double moment = 0;
      for (long z = -100; z <= 100; z++) {
        moment += DiscreteGaussianLaw.probability(z, 2) * Math.exp(beta * z);
      }
      assertThat(Math.log(moment)).isLessThanOrEqualTo(2 * beta * beta + 1e-12);
    }
    double touching = 0;
    for (long z = -100; z <= 100; z++) {
      touching += DiscreteGaussianLaw.probability(z, 2) * Math.exp(0.25 * z);
    }
    assertThat(Math.log(touching)).isCloseTo(2 * 0.25 * 0.25, within(1e-14));
  }
}
