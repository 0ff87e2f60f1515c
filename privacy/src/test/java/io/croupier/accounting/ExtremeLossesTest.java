package io.croupier.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.DoubleFunction;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** Costs and bounds of every finite level: a number, and no less for a larger level. */
class ExtremeLossesTest {
  private static final int SEED = 29;
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
  void theExactBoundIsBetweenThoseOfItsPartsAndTheOthers() {
    assertExact(new ChoiceLoss(100, 3), 1, 0, 0, -13.8);
    assertExact(new ChoiceLoss(64, 3), 1, 64, 0, -13.8);
    assertExact(new ChoiceLoss(1e-9, 3), 1, 0, 0.5, -500);
    assertExact(new ChoiceLoss(1e-9, 3), 1, 0, 1e-9, -500);
    assertExact(new ChoiceLoss(1e-200, 3), 1, 1e300, 0, -0.5);
    assertExact(new ChoiceLoss(1e-200, 1), 20, 0, 0, -500);
    assertExact(new ChoiceLoss(40, 3), 1, 64, 1e4, -0.5);
    assertExact(new ChoiceLoss(100, 3), 1_000_000_000_000L, 64, 1e10, -13.8);
    Random random = new Random(SEED);
    // Of fewer, by chance, less than half may have an exact bound.
    int inputs = Math.max(50, Integer.getInteger("inputs", 20_000) / 200);
    int found = 0;
    for (int n = 0; n < inputs; n++) {
      double level = random(random, 1e-200, 1e-9, 0.3, 16, 64, 100, 745, 1e4, 1e8, 1e154, 1e300);
      found +=
          assertExact(
              new ChoiceLoss(level, random(random, 1, 3, 1e6)),
              (long) random(random, 1, 2, 20, 1e6),
              random(random, 0, 0.1, 64, 1e5, 1e300),
              random(random, 0, 1e-9, 0.5, 1e4, 1e10),
              random(random, -1e-9, -0.5, -13.8, -500, -700));
    }
    assertThat(found).isGreaterThan(inputs / 2);
  }

  private static double random(Random random, double... values) {
    return values[random.nextInt(values.length)];
  }

  /** Returns the number of exact bounds, 0 or 1. */
  private static int assertExact(
      ChoiceLoss loss, long reports, double pure, double mu, double logDelta) {
    Spends spends = new Spends();
    spends.addPure(loss, reports);
    spends.addPure(pure, 1);
    spends.addPure(pure / 640, 2);
    spends.addMu(mu);
    Map<Bound, Double> bounds = spends.bounds(logDelta);
    Double exact = bounds.remove(Bound.EXACT);
    if (exact == null) {
      return 0;
    }
    double one = logP(loss.epsilon(), loss.others());
    double all = one * reports + logP(pure, 1) + 2 * logP(pure / 640, 1);
    double least =
        DoubleStream.of(
                GaussianDp.epsilon(mu, logDelta),
                twoAtoms(loss.epsilon(), one, logDelta),
                twoAtoms(pure, logP(pure, 1), logDelta),
                twoAtoms(loss.epsilon() * reports + pure + 2 * (pure / 640), all, logDelta))
            .max()
            .orElseThrow();
    String what =
        "seed %d: %d of %s, pure %s, mu %s, logDelta %s, others %s"
            .formatted(SEED, reports, loss, pure, mu, logDelta, bounds);
    assertThat(exact).as(what).isGreaterThanOrEqualTo(least * (1 - 1e-9));
    assertThat(exact).as(what).isLessThanOrEqualTo(Collections.min(bounds.values()));
    return 1;
  }

  /** ln p of the largest loss of a choice. */
  private static double logP(double epsilon, double others) {
    return -StrictMath.log1p(others * StrictMath.exp(-epsilon));
  }

  /** By the outcomes of the largest loss alone: ln((p - delta) / q), with q = p exp(-loss). */
  private static double twoAtoms(double loss, double logP, double logDelta) {
    double share = logDelta - logP;
    double logRest =
        share > -0.7
            ? StrictMath.log(Math.max(0, -StrictMath.expm1(share)))
            : StrictMath.log1p(-StrictMath.exp(share));
    return Math.max(0, loss + logRest);
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
