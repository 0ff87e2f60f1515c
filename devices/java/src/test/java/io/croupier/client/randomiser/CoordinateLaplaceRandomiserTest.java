package io.croupier.client.randomiser;

import static io.croupier.noise.Refusals.assertRefused;
import static io.croupier.noise.Refusals.assertRefusedWith;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.croupier.noise.Statistics;
import io.croupier.schemas.CoordinateLaplace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CoordinateLaplaceRandomiserTest {
  private static final double NOT_PRIVATE = Double.POSITIVE_INFINITY;

  private static CoordinateLaplaceRandomiser of(double bound, int exponent, double... taus) {
    return new CoordinateLaplaceRandomiser(
        new GradientGrid(bound, taus.length, exponent),
        taus,
        ClippingNorm.COORDINATES,
        Statistics.seeded(31));
  }

  /** E exp(beta z), z in grid steps, by summation. */
  private static double moment(double beta, int scale) {
    double q = Math.exp(-1.0 / scale);
    double sum = 1;
    for (int z = 1; z < 2000 * scale; z++) {
      sum += Math.exp((beta - 1.0 / scale) * z) + Math.exp((-beta - 1.0 / scale) * z);
    }
    return sum * (1 - q) / (1 + q);
  }

  private static CoordinateLaplace declaration(GridRandomiser randomiser) throws Exception {
    return FittedRandomiserTest.declaration(randomiser).getCoordinateLaplace();
  }

  @Test
  void statesItsGuarantee() throws Exception {
    double[] taus = {4, NOT_PRIVATE, 0.5};
    CoordinateLaplaceRandomiser randomiser =
        new CoordinateLaplaceRandomiser(1, -16, taus, ClippingNorm.COORDINATES);
    taus[0] = 7;
    assertThat(randomiser.gradientBound()).isEqualTo(1);
    assertThat(randomiser.dimension()).isEqualTo(3);
    assertThat(randomiser.gridExponent()).isEqualTo(-16);
    assertThat(randomiser.sensitivity()).isEqualTo(2);
    assertThat(randomiser.tau(0)).isEqualTo(4);
    assertThat(randomiser.tau(1)).isInfinite();
    // 2 (2G / tau)^2 for the smallest tau.
    assertThat(randomiser.directionalVariance()).isCloseTo(32, within(1e-9));
    CoordinateLaplace declared = declaration(randomiser);
    assertThat(declared.getTausList()).containsExactly(4.0, NOT_PRIVATE, 0.5);
    assertThat(declared.getClip()).isEqualTo(CoordinateLaplace.Clip.COORDINATES);
  }

  @Test
  void statesItsClippingNorm() throws Exception {
    CoordinateLaplaceRandomiser randomiser =
        new CoordinateLaplaceRandomiser(1, -16, new double[] {1, 2});
    assertThat(randomiser.clip()).isEqualTo(ClippingNorm.L2);
    assertThat(declaration(randomiser).getClip()).isEqualTo(CoordinateLaplace.Clip.L2);
  }

  /**
   * With the L2 clip, (0, 1) would release 1 in the open coordinate, and (1000, 1) a thousandth.
   */
  @Test
  void l2ClipRefusesOpenCoordinates() {
    assertRefused(
        () -> new CoordinateLaplaceRandomiser(1, -16, new double[] {0.1, NOT_PRIVATE}),
        "taus[1] is Infinity; it must be finite with the clip L2, which scales all"
            + " coordinates by the same factor, so that a coordinate without noise reveals"
            + " information about the others; with the clip COORDINATES"
            + " it may be Infinity");
  }

  @Test
  void infiniteTausReleaseTheClippedAndTruncatedGradient() {
    CoordinateLaplaceRandomiser randomiser =
        of(1, -3, NOT_PRIVATE, NOT_PRIVATE, NOT_PRIVATE, NOT_PRIVATE, NOT_PRIVATE);
    assertThat(randomiser.randomise(new double[] {0.3, -0.3, 1.5, -1e300, -0.0}))
        .containsExactly(2, -2, 8, -8, 0);
    assertThat(randomiser.directionalVariance()).isZero();
    assertThat(randomiser.subExponential().getVariance()).isZero();
    assertThat(randomiser.subExponential().getBetaMax()).isInfinite();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 9})
  void varianceAndBetsAreThoseOfTheExactLaw(int scale) {
    // A grid of whole numbers, with 2G / tau = scale; the other coordinates have less noise.
    CoordinateLaplaceRandomiser randomiser = of(0.5 * scale, 0, 1, 4, NOT_PRIVATE);
    double range = randomiser.subExponential().getBetaMax();
    double variance = randomiser.subExponential().getVariance();
    assertThat(range).isEqualTo(0.5 / scale);
    double squares = 0;
    double q = Math.exp(-1.0 / scale);
    for (int z = 1; z < 100 * scale; z++) {
      squares += 2.0 * z * z * Math.pow(q, z) * (1 - q) / (1 + q);
    }
    assertThat(randomiser.directionalVariance()).isCloseTo(squares, withinPercentage(1e-10));
    double sinh = Math.sinh(0.5 / scale);
    int second = (scale + 3) / 4;
    for (double beta = range / 16; beta <= range; beta += range / 16) {
      double s = Math.sinh(beta / 2) / sinh;
      double exact = moment(beta, scale);
      assertThat(1 / (1 - s * s)).isCloseTo(exact, withinPercentage(1e-10));
      assertThat(Math.log(exact)).isLessThanOrEqualTo(beta * beta * variance / 2 * (1 + 1e-12));
      // The bound also holds along (0.6, 0.8, 0) and (0.8, 0.6, 0).
      double mixed = moment(0.6 * beta, scale) * moment(0.8 * beta, second);
      assertThat(Math.log(mixed)).isLessThanOrEqualTo(beta * beta * variance / 2);
      mixed = moment(0.8 * beta, scale) * moment(0.6 * beta, second);
      assertThat(Math.log(mixed)).isLessThanOrEqualTo(beta * beta * variance / 2);
    }
    // No smaller variance satisfies the bound.
    assertThat(Math.log(moment(range, scale)))
        .isCloseTo(range * range * variance / 2, withinPercentage(1e-10));
  }

  @Test
  void declaredPairIsThatOfContinuousNoiseOnAFineGrid() {
    CoordinateLaplaceRandomiser randomiser = of(1, -24, 1, 8);
    assertThat(randomiser.subExponential().getBetaMax()).isEqualTo(0.25);
    assertThat(randomiser.subExponential().getVariance())
        .isCloseTo(2 * 4 * 4 * Math.log(4.0 / 3), within(1e-12));
  }

  @Test
  void refusesALevelThatDoesNotFitTheGridAndNamesTheExponentThatWould() {
    // 2^31 steps hold 27.7 + ln 2 scales of 2^17 / tau steps, but not more.
    of(1, -16, 2e-3, 1);
    assertRefused(
        () -> of(1, -16, 1, 1.7e-3, NOT_PRIVATE),
        "the smallest tau 0.0017 requires noise that exceeds 32 bits at gridExponent -16"
            + " (gradientBound 1.0, dimension 3); gridExponent -15 would do");
    of(1, -15, 1, 1.7e-3, NOT_PRIVATE);
    // Without noise, the gradient itself must fit.
    of(1, -30, NOT_PRIVATE);
    assertRefusedWith(() -> of(1, -31, NOT_PRIVATE), "gridExponent -30 would do");
    assertRefusedWith(() -> of(1, -16, Double.MIN_VALUE), "no gridExponent up to 400 would do");
  }

  @Test
  void refusesInvalidTaus() {
    for (double bad : new double[] {0, -1, Double.NaN, Double.NEGATIVE_INFINITY}) {
      assertRefused(
          () -> of(1, -16, 1, bad),
          "coordinate_laplace.taus[1] is " + bad + ": it must be above 0 (Infinity: not private)");
    }
  }

  @Test
  void refusesInvalidGradientsAndDrawsNothing() {
    CoordinateLaplaceRandomiser randomiser = of(1, -16, 1, 1);
    assertThatIllegalArgumentException().isThrownBy(() -> randomiser.randomise(new double[3]));
    assertThat(randomiser.randomise(new double[2]))
        .isEqualTo(of(1, -16, 1, 1).randomise(new double[2]));
  }
}
