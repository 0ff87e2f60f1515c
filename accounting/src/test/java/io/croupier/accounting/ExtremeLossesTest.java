package io.croupier.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.DoubleFunction;
import org.junit.jupiter.api.Test;

/** Costs and bounds of every finite level: a number, and no less for a larger level. */
class ExtremeLossesTest {
  private static final double[] LEVELS = {
    Double.MIN_VALUE,
    1e-310,
    Double.MIN_NORMAL,
    1e-200,
    1e-154,
    1e-9,
    0.3,
    16,
    64,
    745,
    1e4,
    1e8,
    3e9,
    1e19,
    1e154,
    1e200,
    1e308,
    Double.MAX_VALUE
  };
  private static final double[] ORDERS = {1, 1 + 1e-12, 1.5, 17, 1e9, 1e154, 1e300, 1e308};
  private static final double[] LOG_DELTAS = {-1e-16, -0.5, -13.8, -745};

  private static List<DoubleFunction<PureLoss>> kinds() {
    return List.of(
        PureLoss::ofEpsilon,
        epsilon -> PureLoss.ofRadial(epsilon, 1),
        epsilon -> PureLoss.ofRadial(epsilon, 2),
        epsilon -> PureLoss.ofRadial(epsilon, 1000),
        epsilon -> PureLoss.ofCoordinates(epsilon, 1.5),
        epsilon -> PureLoss.ofCoordinates(epsilon, 1000),
        epsilon -> new ChoiceLoss(epsilon, 3),
        epsilon -> new ChoiceLoss(epsilon, 1e6));
  }

  @Test
  void aLargerLevelCostsNoLess() {
    for (DoubleFunction<PureLoss> kind : kinds()) {
      for (double order : ORDERS) {
        long rho = 1;
        long muSquared = 1;
        long renyi = 1;
        for (double level : LEVELS) {
          PureLoss loss = kind.apply(level);
          String place = "%s at order %s".formatted(loss, order);
          assertThat(PureCosts.rhoPicos(loss)).as(place).isGreaterThanOrEqualTo(rho);
          assertThat(PureCosts.muSquaredPicos(loss)).as(place).isGreaterThanOrEqualTo(muSquared);
          assertThat(PureCosts.renyiPicos(loss, order)).as(place).isGreaterThanOrEqualTo(renyi);
          rho = PureCosts.rhoPicos(loss);
          muSquared = PureCosts.muSquaredPicos(loss);
          renyi = PureCosts.renyiPicos(loss, order);
        }
        assertThat(List.of(rho, muSquared, renyi)).containsOnly(Long.MAX_VALUE);
      }
    }
  }

  @Test
  void boundsAreNumbers() {
    for (double level : new double[] {Double.MIN_VALUE, 1e-310, 1e-154, 1e154, Double.MAX_VALUE}) {
      assertNumbers(spends -> spends.addPure(level, 1), level);
      assertNumbers(spends -> spends.addPure(new ChoiceLoss(level, 3), 1), level);
      assertNumbers(spends -> spends.addVariation(level), level);
      assertNumbers(spends -> spends.addRho(level), level);
      assertNumbers(spends -> spends.addMu(level), level);
      assertNumbers(
          spends -> {
            spends.addMu(level);
            spends.addPure(PureLoss.ofRadial(0.3, 20), 2);
          },
          level);
    }
  }

  private static void assertNumbers(Consumer<Spends> addition, double level) {
    Spends spends = new Spends();
    addition.accept(spends);
    assertThat(spends.bounds(-13.8).values())
        .as("level %s", level)
        .allMatch(epsilon -> epsilon >= 0);
  }

  @Test
  void theBestOrderIsAnOrder() {
    for (double rho : LEVELS) {
      for (double logDelta : LOG_DELTAS) {
        double order = ZeroConcentratedDp.order(rho, logDelta);
        assertThat(order).isGreaterThan(1);
        assertThat(RenyiDp.epsilon(order, rho, logDelta)).isGreaterThanOrEqualTo(0);
      }
    }
  }
}
