package io.croupier.client.randomiser;

import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.ZeroConcentratedDp;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CalibrationTest {
  private static final int GRID = -18;
  private static final BigDecimal HALF = new BigDecimal("0.5");

  @Test
  void usageExample() {
    Calibration tenReports = new Calibration(1, 20, GRID, 10);

    assertThat(tenReports.l2Laplace(1).epsilon()).isEqualTo(0.1);
    assertThat(tenReports.gaussian(1).mu()).isEqualTo(0.316227766);
    assertThat(tenReports.gaussian(1, 1e-6).mu()).isBetween(0.0748, 0.07486);
    assertThat(tenReports.coordinateLaplace(4).tau(19)).isEqualTo(0.089442719);
    assertThat(tenReports.coordinateLaplace(4, ClippingNorm.COORDINATES).tau(19)).isEqualTo(0.02);
  }

  @Test
  void sharesOfAnEpsilonAddUpToItAtMostAndNearlyAreIt() {
    Random random = new Random(1);
    for (int i = 0; i < 300; i++) {
      int reports = 1 + random.nextInt(200);
      double epsilon = 0.5 + 20 * random.nextDouble();
      double share = new Calibration(1, 3, -12, reports).l2Laplace(epsilon).epsilon();
      assertShare(epsilon, share, reports);
    }
  }

  private static void assertShare(double whole, double share, int parts) {
    assertShare(whole, BigDecimal.valueOf(share), parts, "1e-9");
  }

  /** As many parts fit, but not if each were larger by a step. */
  private static void assertShare(double whole, BigDecimal part, int parts, String step) {
    BigDecimal parties = BigDecimal.valueOf(parts);
    BigDecimal limit = BigDecimal.valueOf(whole);
    String what = parts + " of " + part + " in " + whole;
    assertThat(part.multiply(parties)).as(what).isLessThanOrEqualTo(limit);
    assertThat(part.add(new BigDecimal(step)).multiply(parties)).as(what).isGreaterThan(limit);
  }

  @Test
  void coordinatesShareAnEpsilonByWeight() {
    Calibration calibration = new Calibration(1, 3, GRID, 2);
    CoordinateLaplaceRandomiser equal = calibration.coordinateLaplace(1);
    assertThat(equal.tau(0)).isEqualTo(0.288675134);
    assertThat(equal.tau(2)).isEqualTo(equal.tau(0));
    assertThat(equal.cost().epsilon()).isBetween(new BigDecimal("0.499999998"), HALF);
    CoordinateLaplaceRandomiser weighted =
        calibration.coordinateLaplace(1, new double[] {0.1, 0.2, 0.7});
    assertThat(weighted.tau(0)).isEqualTo(0.068041381);
    assertThat(weighted.tau(1)).isEqualTo(0.136082763);
    assertThat(weighted.tau(2)).isEqualTo(0.476289672);
    assertThat(weighted.cost().epsilon()).isBetween(new BigDecimal("0.499999998"), HALF);
    CoordinateLaplaceRandomiser cube = calibration.coordinateLaplace(1, ClippingNorm.COORDINATES);
    assertThat(cube.tau(2)).isEqualTo(0.166666666);
    assertThat(cube.cost().epsilon()).isEqualByComparingTo("0.499999998");
  }

  /** Rounding of the taus or of the norm never raises the reports' cost above the requested one. */
  @Test
  void sharesOfTheL2ClipAddUpToAnEpsilonAtMostAndNearlyAreIt() {
    Random random = new Random(2);
    for (int i = 0; i < 300; i++) {
      int reports = 1 + random.nextInt(20);
      int dimension = 1 + random.nextInt(9);
      double epsilon = 0.5 + 20 * random.nextDouble();
      Calibration calibration = new Calibration(1, dimension, -12, reports);
      double[] weights = random.doubles(dimension, 0.1, 1).toArray();
      BigDecimal equal = calibration.coordinateLaplace(epsilon).cost().epsilon();
      BigDecimal weighted = calibration.coordinateLaplace(epsilon, weights).cost().epsilon();
      assertShare(epsilon, equal, reports, "1e-8");
      assertShare(epsilon, weighted, reports, "1e-8");
    }
  }

  @Test
  void coordinatesMayBeClippedEachOnItsOwn() {
    CoordinateLaplaceRandomiser cube =
        new Calibration(1, 3, GRID, 1).coordinateLaplace(3e12, ClippingNorm.COORDINATES);
    assertThat(cube.tau(2)).isEqualTo(1e12);
    assertThat(cube.cost().epsilon()).isEqualByComparingTo("3e12");
    // The noise then has a scale of one step, and exceeds 64 once in 10^27 draws. Clipped to L2
    // norm 1, the first coordinate would shrink to a seventh.
    int[] release = cube.randomise(new double[] {1, -7, 0.5});
    assertThat(release[0]).isCloseTo(1 << 18, within(64));
    assertThat(release[1]).isCloseTo(-(1 << 18), within(64));
    assertThat(release[2]).isCloseTo(1 << 17, within(64));
  }

  @Test
  void sharesFitUpToTheStatedSize() {
    Random random = new Random(5);
    for (int i = 0; i < 300; i++) {
      int reports = 1 + random.nextInt(200);
      double epsilon = 1e6 * reports * (1 - 0.5 * random.nextDouble());
      assertShare(
          epsilon, new Calibration(1, 3, -12, reports).l2Laplace(epsilon).epsilon(), reports);
    }
  }

  @Test
  void sharesOfAMuFitIntoItsSquareAsLedgersCount() {
    Random random = new Random(2);
    for (int i = 0; i < 300; i++) {
      int reports = 1 + random.nextInt(200);
      double mu = 0.5 + 3 * random.nextDouble();
      double share = new Calibration(1, 3, GRID, reports).gaussian(mu).mu();
      BigDecimal picos =
          BigDecimal.valueOf(share)
              .pow(2)
              .movePointRight(12)
              .setScale(0, RoundingMode.CEILING)
              .multiply(BigDecimal.valueOf(reports));
      BigDecimal limit = BigDecimal.valueOf(mu).pow(2).movePointRight(12);
      assertThat(picos).as("%d of %s in %s", reports, share, mu).isLessThanOrEqualTo(limit);
      assertThat(share * Math.sqrt(reports)).isBetween(mu * (1 - 1e-8), mu * (1 + 1e-15));
    }
  }

  @Test
  void reportsKeepEpsilonAndDeltaTogetherAndAStepMoreWouldNot() {
    Random random = new Random(3);
    int concentrated = 0;
    for (int i = 0; i < 200; i++) {
      int reports = 1 + random.nextInt(100);
      int dimension = 1 + random.nextInt(500);
      int exponent = -14 - random.nextInt(6);
      double epsilon = 0.5 + 8 * random.nextDouble();
      double delta = Math.pow(10, -3 - 7 * random.nextDouble());
      Calibration calibration = new Calibration(1, dimension, exponent, reports);
      double mu = calibration.gaussian(epsilon, delta).mu();
      String what = calibration + ", " + epsilon + ", " + delta + ": " + mu;
      boolean gaussian = gaussianDelta(epsilon, mu, calibration) <= delta;
      boolean zcdp = concentratedEpsilon(mu, delta, calibration) <= epsilon;
      assertThat(gaussian || zcdp).as(what).isTrue();
      concentrated += gaussian ? 0 : 1;
      // Two steps of the ninth digit, since rounding towards privacy may take one.
      double most = mu * (1 + 2.2e-9);
      assertThat(
              gaussianDelta(epsilon, most, calibration) > delta
                  && concentratedEpsilon(most, delta, calibration) > epsilon)
          .as(what)
          .isTrue();
    }
    // Both kinds of accounting must have been used.
    assertThat(concentrated).isBetween(10, 190);
  }

  private static double gaussianDelta(double epsilon, double mu, Calibration calibration) {
    int d = calibration.dimension();
    double steps = Math.ceil(Math.scalb(2 / mu, -calibration.gridExponent()));
    double variation = Math.min(d / 24.0, Math.sqrt(d) / 16) / (steps * steps);
    double all = mu * Math.sqrt(calibration.reports());
    return Math.exp(GaussianDp.logDelta(epsilon, all))
        + (1 + Math.exp(epsilon)) * calibration.reports() * variation;
  }

  private static double concentratedEpsilon(double mu, double delta, Calibration calibration) {
    return ZeroConcentratedDp.epsilon(calibration.reports() * mu * mu / 2, Math.log(delta));
  }

  @Test
  void refusalsNameTheFieldAndTheRule() {
    Calibration calibration = new Calibration(1, 3, GRID, 10);
    assertRefused(() -> new Calibration(1, 3, GRID, 0), "reports is 0; it must be at least 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Calibration(-1, 3, GRID, 1))
        .withMessageStartingWith("gradientBound is -1.0;");
    assertRefused(() -> calibration.l2Laplace(0), "epsilon is 0.0; it must be positive and finite");
    assertRefused(
        () -> calibration.l2Laplace(1e-9),
        "epsilon is 1.0E-9, which is too small to divide among 10 reports of dimension 3");
    assertRefused(() -> calibration.gaussian(1, 1), "delta is 1.0; it must be between 0 and 1");
    assertRefused(
        () -> calibration.gaussian(Double.NaN), "mu is NaN; it must be positive and finite");
    assertRefused(
        () -> calibration.coordinateLaplace(1, new double[] {1, 2}),
        "weights has 2 elements; the model has 3");
    assertRefused(
        () -> calibration.coordinateLaplace(1, new double[] {1, 0, 2}),
        "weights[1] is 0.0; it must be positive and finite");
  }
}
