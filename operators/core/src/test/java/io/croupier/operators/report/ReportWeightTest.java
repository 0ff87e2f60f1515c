package io.croupier.operators.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.noise.CandidateVectors;
import java.nio.DoubleBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReportWeightTest {
  private static final double G = 0.7;

  private static GradientSpace space(int dimension) {
    return space(dimension, G);
  }

  private static GradientSpace space(int dimension, double gradientBound) {
    int grid = Math.getExponent(gradientBound) - 16;
    return new GradientSpace(dimension, gradientBound, grid, new PrivUnitLaws(), shape -> 0);
  }

  /** The mean of r^2 under a density that is not normalised, by Simpson's rule. */
  private static double meanSquare(DoubleUnaryOperator density, double end) {
    int n = 20_000;
    double mass = 0;
    double squares = 0;
    for (int i = 0; i <= n; i++) {
      double weight = i == 0 || i == n ? 1 : i % 2 == 0 ? 2 : 4;
      double r = end * i / n;
      mass += weight * density.applyAsDouble(r);
      squares += weight * r * r * density.applyAsDouble(r);
    }
    return squares / mass;
  }

  private static int expected(double error) {
    return (int) Math.round(Math.log(Math.max(1, (G * G + error) / (G * G))) / Math.log(2));
  }

  private static int actual(Mechanism mechanism, int dimension) {
    return ReportWeight.exponent(mechanism, space(dimension));
  }

  /** The length of the noise has the density r^(d-1) exp(-epsilon r / 2G). */
  @ParameterizedTest
  @CsvSource({"1, 1, 3", "1, 4, 1", "20, 1, 11", "20, 300, 0", "500, 0.1, 27"})
  void ofL2Laplace(int d, double epsilon, int k) {
    double scale = 2 * G / epsilon;
    double peak = Math.max(scale, (d - 1) * scale);
    double error =
        meanSquare(
            r -> Math.exp((d - 1) * Math.log(Math.max(r, 1e-300) / peak) - r / scale + d),
            (d + 60 + 10 * Math.sqrt(d)) * scale);
    assertThat(actual(new L2LaplaceMechanism(epsilon), d)).isEqualTo(k).isEqualTo(expected(error));
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 2", "20, 2, 4", "1000, 0.5, 14", "1000, 200, 0"})
  void ofGaussian(int d, double mu, int k) {
    double sigma = 2 * G / mu;
    double error = d * meanSquare(r -> Math.exp(-r * r / (2 * sigma * sigma)), 12 * sigma);
    assertThat(actual(new GaussianMechanism(mu), d)).isEqualTo(k).isEqualTo(expected(error));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.1, 1, 3, 50})
  void ofCoordinateLaplace(double tau) {
    double[] taus = {tau, 2 * tau, 3 * tau};
    double error =
        Arrays.stream(taus).map(t -> meanSquare(r -> Math.exp(-r * t / (2 * G)), 80 * G / t)).sum();
    Mechanism mechanism =
        new CoordinateLaplaceMechanism(DoubleBuffer.wrap(taus), DeclaredClip.L2, 0);
    assertThat(actual(mechanism, 3)).isEqualTo(expected(error));
  }

  /** Every release has the same length, but for its last coordinate, which is not sent. */
  @ParameterizedTest
  @CsvSource({"20, 1, 90", "20, 4, 30", "300, 2, 60"})
  void ofPrivUnit(int d, double epsilon, int top) {
    PrivUnitMechanism mechanism = new PrivUnitMechanism(epsilon, 256, top);
    double scale = new PrivUnitLaws().of(d, epsilon, 256, top).scale();
    double squares = 0;
    SplittableRandom random = new SplittableRandom(1);
    int releases = 4000;
    double[] release = new double[d];
    for (int i = 0; i < releases; i++) {
      CandidateVectors.expand(random.nextLong(), i % 256, G * scale, release);
      squares += Arrays.stream(release).map(x -> x * x).sum() / releases;
    }
    double sphere = squares * (d + 1) / d;
    assertThat(actual(mechanism, d))
        .isEqualTo((int) Math.round(Math.log(sphere / (G * G)) / Math.log(2)));
  }

  @Test
  void ofUndisclosed() {
    assertThat(actual(UndisclosedNoise.UNDISCLOSED, 20)).isEqualTo(2);
    assertThat(ReportWeight.of(ReportWeight.UNDISCLOSED)).isEqualTo(0.25);
  }

  /** A sender may declare any level: the stronger the noise, the less the report counts. */
  @Test
  void noiseBeyondAnyNumberHasTheLeastWeight() {
    assertThat(actual(new GaussianMechanism(1e-100), 20)).isEqualTo(ReportWeight.MOST);
    assertThat(actual(new GaussianMechanism(1e-200), 20)).isEqualTo(ReportWeight.MOST);
    double least = ReportWeight.of(ReportWeight.MOST);
    assertThat(least * least).isPositive();
  }

  /** Nothing else is known of a model: weights don't depend on its unit. */
  @Test
  void theUnitOfGradientsDoesNotMatter() {
    for (double g : new double[] {1e-6, 1, 3e8}) {
      assertThat(ReportWeight.exponent(new L2LaplaceMechanism(1), space(20, g))).isEqualTo(11);
    }
  }

  /** Sums of all reports of a day stay below 2^63, and steps far below the noise. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-12, 0.3, 1, 1.99, 2, 1e12})
  void gridsAreFarFinerThanTheNoise(double g) {
    for (int k = 0; k <= ReportWeight.MOST; k++) {
      double step = Math.scalb(1.0, ReportWeight.gridExponent(g, k));
      double length = g * Math.sqrt(Math.scalb(1.0, k));
      assertThat(length / step).isBetween(0x1p25, 0x1p28);
    }
  }

  @Test
  void variancesRoundUpAndTheirSumsAreExact() {
    SplittableRandom random = new SplittableRandom(2);
    for (int d : new int[] {1, 3, 20, 1_000_000}) {
      for (int k : new int[] {0, 1, 8, 40, 200}) {
        GradientSpace space = space(d);
        double typical = G * G * Math.scalb(1.0, k) / d;
        double[] variances = new double[1000];
        for (int i = 0; i < variances.length; i++) {
          double variance = typical * random.nextDouble(0.1, 1.5);
          variances[i] = ReportWeight.exactVariance(variance, space, k);
          assertThat(variances[i])
              .isGreaterThanOrEqualTo(variance)
              .isLessThanOrEqualTo(variance + 0x1p-17 * Math.max(variance, typical));
        }
        double forward = 0;
        double backward = 0;
        for (int i = 0; i < variances.length; i++) {
          forward += variances[i];
          backward += variances[variances.length - 1 - i];
        }
        assertThat(forward).isEqualTo(backward);
      }
    }
    assertThat(ReportWeight.exactVariance(0, space(3), 4)).isZero();
    assertThat(ReportWeight.exactVariance(Double.POSITIVE_INFINITY, space(3), 4)).isInfinite();
  }
}
