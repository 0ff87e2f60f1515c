package io.croupier.client.randomiser;

import static io.croupier.noise.Refusals.assertRefused;
import static io.croupier.noise.Refusals.assertRefusedWith;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.noise.Statistics;
import io.croupier.schemas.view.GradientReportView;
import org.junit.jupiter.api.Test;

class L2LaplaceRandomiserTest {

  private static L2LaplaceRandomiser of(double bound, int d, int exponent, double epsilon) {
    return new L2LaplaceRandomiser(
        new GradientGrid(bound, d, exponent), epsilon, Statistics.seeded(7));
  }

  @Test
  void statesItsGuarantee() {
    L2LaplaceRandomiser randomiser = new L2LaplaceRandomiser(0.5, 3, -17, 2);
    assertThat(randomiser.gradientBound()).isEqualTo(0.5);
    assertThat(randomiser.dimension()).isEqualTo(3);
    assertThat(randomiser.gridExponent()).isEqualTo(-17);
    assertThat(randomiser.epsilon()).isEqualTo(2);
    assertThat(randomiser.sensitivity()).isEqualTo(1);
    // (d + 1) / c^2 with c = 2.
    assertThat(randomiser.directionalVariance()).isCloseTo(1, within(1e-15));
    assertThat(randomiser.directionalVariance()).isGreaterThanOrEqualTo(1);
    // Half of the distance to the pole at c.
    assertThat(randomiser.subExponential().getBetaMax()).isCloseTo(1, within(1e-15));
    assertThat(randomiser.subExponential().getVariance())
        .isCloseTo(4 * Math.log(4.0 / 3), within(1e-15));
    GradientReportView.Builder report = GradientReportView.newBuilder();
    randomiser.declareIn(report);
    assertThat(report.getL2Laplace().getEpsilon()).isEqualTo(2);
  }

  @Test
  void everyReleaseDrawsNewNoise() {
    GridRandomiser randomiser = new L2LaplaceRandomiser(1, 10, -16, 1);
    // False alarm: far below 2^-100.
    assertThat(randomiser.randomise(new double[10]))
        .isNotEqualTo(randomiser.randomise(new double[10]));
  }

  @Test
  void refusesALevelThatDoesNotFitTheGridAndNamesTheExponentThatWould() {
    new L2LaplaceRandomiser(1, 10, -16, 1e-2);
    assertRefused(
        () -> new L2LaplaceRandomiser(1, 10, -16, 1e-4),
        "epsilon 1.0E-4 requires noise that exceeds 32 bits at gridExponent -16 (gradientBound"
            + " 1.0, dimension 10); gridExponent -11 would do");
    new L2LaplaceRandomiser(1, 10, -11, 1e-4);
    assertRefusedWith(() -> new L2LaplaceRandomiser(1, 10, -12, 1e-4), "gridExponent -11 would do");
  }

  @Test
  void refusesAGridThatCannotEvenHoldTheGradient() {
    assertRefusedWith(() -> new L2LaplaceRandomiser(1, 2, -60, 1), "gridExponent -24 would do");
  }

  @Test
  void refusesALevelThatNoGridHolds() {
    assertRefusedWith(
        () -> new L2LaplaceRandomiser(1, 2, -16, 1e-300), "no gridExponent up to 400 would do");
  }

  @Test
  void refusesInvalidEpsilon() {
    for (double bad : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertRefused(
          () -> new L2LaplaceRandomiser(1, 2, -16, bad),
          "l2_laplace.epsilon is " + bad + ": it must be a finite number above 0");
    }
  }

  @Test
  void nextToNoNoiseReleasesTheClippedGradient() {
    for (double epsilon : new double[] {1e12, 1e200, Double.MAX_VALUE}) {
      assertThat(of(1, 2, -16, epsilon).randomise(new double[] {0.5, -0.25}))
          .containsExactly(1 << 15, -(1 << 14));
    }
  }

  /** In one dimension the tail is exp(-r). In d, the directional law has known moments. */
  @Test
  void overflowBoundIsTight() {
    for (double reach : new double[] {5, 30, 40, 1000}) {
      assertThat(L2LaplaceRandomiser.logOverflow(1, reach))
          .isBetween(-reach, -reach + Math.log(2 * Math.E * reach));
    }
    // Three dimensions: a coordinate is |N| sqrt(2 E), E Gamma of shape 2, so P(|z_1| > r) =
    // exp(-r) (1 + r / 2); three coordinates.
    for (double reach : new double[] {5, 30, 40, 1000}) {
      double exact = Math.log(3) - reach + Math.log1p(reach / 2);
      assertThat(L2LaplaceRandomiser.logOverflow(3, reach))
          .isBetween(exact, exact + Math.log(2 * Math.E * reach));
    }
  }

  @Test
  void theBoundOnOverflowWithstandsExtremes() {
    assertThat(L2LaplaceRandomiser.logOverflow(1, Double.POSITIVE_INFINITY)).isLessThan(-1e300);
    assertThat(L2LaplaceRandomiser.logOverflow(1_000_000, 1e-300)).isPositive();
  }
}
