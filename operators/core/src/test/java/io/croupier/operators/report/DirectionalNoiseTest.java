package io.croupier.operators.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;
import java.nio.DoubleBuffer;
import java.util.List;
import org.apache.commons.math3.analysis.UnivariateFunction;
import org.apache.commons.math3.analysis.integration.IterativeLegendreGaussIntegrator;
import org.apache.commons.numbers.gamma.LogGamma;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DirectionalNoiseTest {
  private static final String L2 = "l2_laplace {epsilon: 1}";

  /**
   * E exp(beta <z, a>) for density exp(-||z|| / scale): integrated over the radius, Gamma(d), in
   * units of scale.
   */
  private static double l2LaplaceMgf(int d, double k) {
    UnivariateFunction overTheSphere =
        d == 1 ? r -> Math.cosh(k * r) : r -> r == 0 ? 1 : Math.sinh(k * r) / (k * r);
    return new IterativeLegendreGaussIntegrator(20, 1e-12, 1e-12)
        .integrate(
            1_000_000,
            r -> Math.exp((d - 1) * Math.log(r) - r - LogGamma.value(d)) * overTheSphere.value(r),
            1e-12,
            400);
  }

  private static double l2LaplaceVariance(int d, double scale, double range) {
    return new L2LaplaceMechanism(2 / scale).directionalVariance(new GradientSpace(d, 1, 0), range);
  }

  private static double coordinateLaplaceVariance(double scale, double range) {
    DoubleBuffer taus = DoubleBuffer.wrap(new double[] {9, 2 / scale});
    return new CoordinateLaplaceMechanism(taus, DeclaredClip.L2, 0)
        .directionalVariance(new GradientSpace(2, 1, 0), range);
  }

  /**
   * The bound holds over the whole range and is attained at its end: no smaller variance suffices.
   */
  @Test
  void l2LaplaceVarianceIsTight() {
    for (int d : new int[] {1, 3}) {
      for (double end : new double[] {0.05, 0.5, 0.9}) {
        double scale = 1.7;
        double variance = l2LaplaceVariance(d, scale, end / scale);
        for (double fraction : new double[] {0.1, 0.5, 1}) {
          double beta = fraction * end / scale;
          double mgf = Math.log(l2LaplaceMgf(d, fraction * end));
          double bound = beta * beta * variance / 2;
          assertThat(mgf).isLessThanOrEqualTo(bound + 1e-10);
          if (fraction == 1) {
            assertThat(mgf).isCloseTo(bound, within(1e-9));
          }
        }
      }
    }
  }

  /** With one coordinate both kinds of Laplace noise are the same. */
  @Test
  void coordinateLaplaceAgreesInOneDimension() {
    assertThat(coordinateLaplaceVariance(2, 0.3))
        .isCloseTo(l2LaplaceVariance(1, 2, 0.3), within(1e-14));
  }

  @Test
  void variancesTendToTheVarianceOfTheNoise() {
    assertThat(l2LaplaceVariance(4, 3, 1e-200)).isEqualTo(5 * 9);
    assertThat(l2LaplaceVariance(4, 3, 1e-6)).isCloseTo(45, within(1e-9));
    Mechanism gaussian = new GaussianMechanism(2 / 3.0);
    assertThat(gaussian.directionalVariance(new GradientSpace(4, 1, 0), 1)).isEqualTo(9);
  }

  @Test
  void beyondThePoleTheVarianceIsInfinite() {
    assertThat(l2LaplaceVariance(4, 2, 0.5)).isInfinite();
    assertThat(coordinateLaplaceVariance(2, 0.6)).isInfinite();
  }

  /** Where gradients have norm 2. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "3 | l2_laplace {epsilon: 1} | 0.125",
        "3 | l2_laplace {epsilon: 100} | 0.3419",
        "3 | gaussian {mu: 1e-3} | 0.3419",
        "3 | coordinate_laplace {taus: [inf,0.5,2]} | 0.0625",
        "2 | coordinate_laplace {taus: [inf,inf]} | 0.3419",
        "3 | sub_exponential {variance: 3 beta_max: 0.1} | 0.1"
      })
  void strongestNoiseSetsTheBettingRange(int dimension, String noise, double range) {
    assertThat(DirectionalNoise.of(Specs.banco(dimension, 2, noise)).bettingRange())
        .isEqualTo(range);
  }

  /** It is 16 ln(4/3) (d + 1) G^2 / epsilon^2, where the range is epsilon / (4G). */
  @Test
  void varianceOfTheStrongestNoise() {
    DirectionalNoise noise = DirectionalNoise.of(Specs.banco(3, 2, L2));
    assertThat(noise.variance(new L2LaplaceMechanism(1)))
        .isCloseTo(16 * Math.log(4.0 / 3) * 4 * 4, within(1e-12));
  }

  @Test
  void acceptsNoiseNoStrongerThanTheStrongest() {
    DirectionalNoise noise = DirectionalNoise.of(Specs.banco(3, 1, L2));
    assertThat(noise.accepts(new L2LaplaceMechanism(1))).isTrue();
    assertThat(noise.accepts(new L2LaplaceMechanism(50))).isTrue();
    assertThat(noise.accepts(new L2LaplaceMechanism(0.999))).isFalse();
    assertThat(noise.accepts(new L2LaplaceMechanism(1e-200))).isFalse();
    // The variances are 18.41 and, for the Gaussian, 4 / mu^2.
    assertThat(noise.accepts(new GaussianMechanism(0.47))).isTrue();
    assertThat(noise.accepts(new GaussianMechanism(0.46))).isFalse();
    double inf = Double.POSITIVE_INFINITY;
    assertThat(noise.accepts(Specs.coordinates(inf, 1, 9))).isTrue();
    assertThat(noise.accepts(Specs.coordinates(inf, 0.4, 9))).isFalse();
    assertThat(noise.variance(Specs.coordinates(inf, inf, inf))).isZero();
    assertThat(noise.accepts(UndisclosedNoise.UNDISCLOSED)).isFalse();
  }

  @Test
  void undisclosedIsRefusedEvenBesideNoiseBeyondAllBounds() {
    DirectionalNoise noise = DirectionalNoise.of(Specs.banco(3, 1, "gaussian {mu: 1e-300}"));
    assertThat(noise.accepts(UndisclosedNoise.UNDISCLOSED)).isFalse();
  }

  @Test
  void theOperatorVouchesForEveryReport() {
    DirectionalNoise noise =
        DirectionalNoise.of(Specs.banco(3, 1, "sub_exponential {variance: 7 beta_max: 1}"));
    for (Mechanism mechanism :
        List.of(UndisclosedNoise.UNDISCLOSED, new L2LaplaceMechanism(1e-9))) {
      assertThat(noise.accepts(mechanism)).isTrue();
      assertThat(noise.variance(mechanism)).isEqualTo(7);
    }
  }

  @Test
  void otherLearnersNeedNoDeclaration() {
    DirectionalNoise noise = DirectionalNoise.of(Specs.of(3, 1, "black_box {}"));
    assertThat(noise.accepts(UndisclosedNoise.UNDISCLOSED)).isTrue();
    assertThat(noise.variance(new L2LaplaceMechanism(1))).isZero();
  }

  @Test
  void bancoRequiresAStrongestNoise() {
    assertThatThrownBy(() -> DirectionalNoise.of(Specs.of(3, 1, "banco {}")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("banco.strongest_noise");
  }
}
