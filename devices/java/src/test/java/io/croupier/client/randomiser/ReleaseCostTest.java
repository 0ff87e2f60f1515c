package io.croupier.client.randomiser;

import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ReleaseCostTest {
  private static final BigDecimal NONE = BigDecimal.ZERO;

  @Test
  void everyRandomiserStatesItsCost() {
    assertThat(new L2LaplaceRandomiser(1, 2, -16, 0.1).cost())
        .isEqualTo(new ReleaseCost(new BigDecimal("0.1"), NONE, false, false));
    assertThat(new GaussianRandomiser(1, 2, -16, 0.7).cost())
        .isEqualTo(new ReleaseCost(NONE, new BigDecimal("0.7"), false, false));
    double[] taus = new double[11];
    Arrays.fill(taus, 0.1);
    taus[4] = 0.05;
    assertThat(new CoordinateLaplaceRandomiser(1, -16, taus, ClippingNorm.COORDINATES).cost())
        .isEqualTo(new ReleaseCost(new BigDecimal("1.05"), NONE, false, false));
    // The root of 0.1025, rounded up.
    assertThat(new CoordinateLaplaceRandomiser(1, -16, taus, ClippingNorm.L2).cost())
        .isEqualTo(new ReleaseCost(new BigDecimal("0.320156212"), NONE, false, false));
    assertThat(new CoordinateLaplaceRandomiser(1, -16, new double[] {0.3, 0.4}).cost())
        .isEqualTo(new ReleaseCost(new BigDecimal("0.5"), NONE, false, false));
  }

  @Test
  void openCoordinateIsUnboundedAndTheOthersAddUp() {
    double[] taus = {1, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, 0.5, 0.5};
    assertThat(new CoordinateLaplaceRandomiser(1, -16, taus, ClippingNorm.COORDINATES).cost())
        .isEqualTo(new ReleaseCost(new BigDecimal("2.0"), NONE, true, false));
  }

  @Test
  void levelIsTheShortestDecimal() {
    assertThat(ReleaseCost.decimal(0.1)).isEqualByComparingTo("0.1");
    assertThat(ReleaseCost.decimal(1.0 / 3)).isEqualByComparingTo("0.3333333333333333");
  }

  @Test
  void refusesInvalidCosts() {
    for (double bad : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertRefused(
          () -> ReleaseCost.ofEpsilon(bad),
          "epsilon is " + bad + "; it must be positive and finite");
      assertRefused(
          () -> ReleaseCost.ofMu(bad), "mu is " + bad + "; it must be positive and finite");
    }
    assertRefused(
        () -> new ReleaseCost(BigDecimal.ONE.negate(), NONE, false, false),
        "epsilon is -1; it must be at least 0");
  }
}
