package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The closed forms against the rule, which is right to 1.4e-15 of 50 digits. */
class ClosedFormTest {
  private static final int POINTS = Integer.getInteger("inputs", 20_000);

  /** The documented accuracy; the largest measured error is 6e-15. */
  private static final double TOLERANCE = 2e-14;

  /** Where a series, an expansion or a neglected term begins or ends. */
  private enum Transition {
    SMALL_COINS,
    SMALL_VARIANCE,
    SMALL_CENTRE,
    PEAK_AT_THE_EDGE,
    WHOLE_GAUSSIAN,
    ASYMPTOTIC_TAIL,
    NEGLIGIBLE_FAR_EDGE,
    NEGLIGIBLE_BEYOND
  }

  @Test
  void agreesWithTheRuleOverSixteenDecades() {
    SplittableRandom random = new SplittableRandom(1);
    double worst = 0;
    for (int i = 0; i < 5 * POINTS; i++) {
      double coins = Math.pow(10, between(random, -8, 8));
      double quadratic = Math.pow(10, between(random, -12, 16));
      double halfWidth = Math.pow(10, between(random, -6, 3));
      worst = Math.max(worst, worstError(coins, quadratic, halfWidth, random.nextDouble()));
    }
    assertThat(worst).isPositive().isLessThan(TOLERANCE);
  }

  @Test
  void agreesWithTheRuleWherePeaksHaveRange() {
    SplittableRandom random = new SplittableRandom(2);
    double worst = 0;
    for (int i = 0; i < 5 * POINTS; i++) {
      double edge = Math.pow(10, between(random, -9, 4));
      double centre = Math.pow(10, between(random, -3, 1.5));
      worst = Math.max(worst, worstErrorAt(centre, edge, random));
    }
    assertThat(worst).isPositive().isLessThan(TOLERANCE);
  }

  @Test
  void agreesWithTheRuleOnBothSidesOfEveryTransition() {
    for (Transition transition : Transition.values()) {
      SplittableRandom random = new SplittableRandom(3);
      double worst = 0;
      for (int i = 0; i < POINTS; i++) {
        double near = 1 + between(random, -1, 1) * Math.pow(10, between(random, -16, -1));
        double free = random.nextDouble();
        double edge = Math.pow(10, between(random, -0.15, 2));
        double centre;
        switch (transition) {
          case SMALL_COINS -> {
            edge = Math.sqrt(0.7 * free);
            centre = near / (2 * edge);
          }
          case SMALL_VARIANCE -> {
            edge = Math.sqrt(0.5 * near);
            centre = free;
          }
          case SMALL_CENTRE -> centre = 0.25 * near;
          case PEAK_AT_THE_EDGE -> centre = edge * near;
          case WHOLE_GAUSSIAN -> {
            centre = 20 * free;
            edge = centre + 6 * near;
          }
          case ASYMPTOTIC_TAIL -> {
            edge = 6 * free;
            centre = edge + 12 * near;
          }
          case NEGLIGIBLE_FAR_EDGE -> centre = 10 * near / edge;
          case NEGLIGIBLE_BEYOND -> {
            edge = Math.sqrt(40 * near);
            centre = free;
          }
          default -> throw new AssertionError(transition);
        }
        worst = Math.max(worst, worstErrorAt(centre, edge, random));
      }
      assertThat(worst).as(transition.toString()).isPositive().isLessThan(TOLERANCE);
    }
  }

  @Test
  void agreesWithTheRuleAtTheEndsOfItsRange() {
    double[] coins = {0x1p-1074, 0x1p-600, 0x1p-200, 0x1p-100, 0x1p199, 0x1p200, 0x1.1p200};
    double[] variances = {0x1.fp-201, 0x1p-200, 0x1p-100, 0x1p100, 0x1p200, 0x1.1p200};
    for (double a : coins) {
      for (double b : variances) {
        assertThat(worstError(a, b, 0.75, 0.5)).as("%s %s", a, b).isLessThan(TOLERANCE);
      }
    }
  }

  /**
   * The worst of three priors, in standard units: the Gaussian's centre and the interval's edge,
   * times 2 and the root of the variance over the half-width.
   */
  private static double worstErrorAt(double centre, double edge, SplittableRandom random) {
    double halfWidth = Math.pow(10, between(random, -6, 3));
    double coins = 2 * centre * edge / halfWidth;
    return worstError(coins, edge * edge / halfWidth / halfWidth, halfWidth, random.nextDouble());
  }

  /** The worst error; checks oddness, too, and that both overflow together. */
  private static double worstError(
      double coins, double quadratic, double halfWidth, double concentration) {
    double worst = 0;
    for (Prior prior :
        new Prior[] {
          new Prior.Uniform(),
          new Prior.Improper(),
          new Prior.Conjugate(quadratic * (1 - concentration))
        }) {
      Potential potential = new Potential(prior, halfWidth);
      double w = potential.predictionAt(coins, quadratic);
      double reference =
          potential.byQuadrature(
              Potential.Quantity.PREDICTION,
              coins,
              quadratic,
              halfWidth,
              Potential.mass(prior, halfWidth));
      assertThat(w).isNotNaN().isNotNegative();
      assertThat(potential.predictionAt(-coins, quadratic)).isEqualTo(-w);
      if (reference < 1e307 && reference > Double.MIN_NORMAL) {
        worst = Math.max(worst, Math.abs(w / reference - 1));
      } else if (reference >= 1e307) {
        assertThat(w).isGreaterThan(9e306);
      } else {
        assertThat(w).isLessThanOrEqualTo(2 * Double.MIN_NORMAL);
      }
    }
    return worst;
  }

  private static double between(SplittableRandom random, double low, double high) {
    return low + (high - low) * random.nextDouble();
  }
}
