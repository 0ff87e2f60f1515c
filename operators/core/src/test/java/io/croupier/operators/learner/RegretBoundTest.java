package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The bound of [vdH19, Theorem 1] without noise: it needs no expectation, and must hold at the end
 * of every round of every sequence.
 */
class RegretBoundTest {
  private static final int ROUNDS = 300;

  /**
   * The bound is an upper bound on the convex conjugate of the potential, which the test computes
   * by bisection.
   */
  @Test
  void theConjugateOfThePotentialIsBelowTheBound() {
    for (double g : new double[] {0.05, 1}) {
      for (double b : new double[] {0.01, 0.3, 1, 100}) {
        ExpectedRegretBound theorem = new ExpectedRegretBound(g, b * g * g);
        for (double v : new double[] {0, 0.1, 1, 10, 1e2, 1e3, 1e4, 1e6}) {
          double variance = v * g * g;
          for (double comparator : ExpectedRegretBound.COMPARATORS) {
            double u = comparator / g;
            assertThat(conjugate(theorem.potential(), variance, u))
                .as("F*(%s) with G = %s, b = %s, V = %s", u, g, theorem.b(), variance)
                .isLessThanOrEqualTo(theorem.bound(u, theorem.adaptiveTerm(u, variance)));
          }
        }
      }
    }
  }

  /** sup_L (u L - F(L)) + 1, attained where F', the prediction, is u > 0. */
  private static double conjugate(Potential potential, double variance, double u) {
    double high = 1;
    while (potential.logPrediction(high, variance) < Math.log(u)) {
      high *= 2;
    }
    double low = 0;
    for (int i = 0; i < 60; i++) {
      double middle = (low + high) / 2;
      if (potential.logPrediction(middle, variance) < Math.log(u)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return u * low - Math.exp(potential.logPotential(low, variance)) + 1;
  }

  /**
   * Losses so far are at most W0 (1 - F), [vdH19, Lemmas 3 and 5], hence at most W0; and no
   * comparator is better by more than the theorem's bound.
   */
  @ParameterizedTest
  @EnumSource
  void everySequenceKeepsTheBound(Adversary adversary) {
    for (double g : new double[] {0.02, 30}) {
      for (double b : new double[] {0.01, 1, 100}) {
        for (double wealth : new double[] {1, 25}) {
          play(adversary, new ExpectedRegretBound(g, b * g * g), wealth);
        }
      }
    }
  }

  /** Many gradients far below G: large L, small V. The bound as printed would be 2.07. */
  @Test
  void asPrintedTheBoundDoesNotHold() {
    ExpectedRegretBound theorem = new ExpectedRegretBound(1, 1);
    Potential potential = theorem.potential();
    double u = 0.3;
    double regret = 0;
    for (int t = 0; t < 1300; t++) {
      regret += (potential.prediction(0.01 * t, 1e-4 * t) - u) * -0.01;
    }
    double adaptiveTerm = theorem.adaptiveTerm(u, 0.13);
    assertThat(regret)
        .isGreaterThan(theorem.printedBound(u, adaptiveTerm) + 0.2)
        .isLessThan(theorem.bound(u, adaptiveTerm));
  }

  private static void play(Adversary adversary, ExpectedRegretBound theorem, double wealth) {
    double bound = theorem.gradientBound();
    Potential potential = theorem.potential();
    Potential unitPotential = new ExpectedRegretBound(1, theorem.b() / bound / bound).potential();
    TestBettor learner = new TestBettor(theorem.prior(), bound, wealth);
    TestBettor unit = new TestBettor(theorem.prior(), bound, 1);
    double coins = 0;
    double variance = 0;
    double losses = 0;
    double turnover = 0;
    for (int t = 0; t < ROUNDS; t++) {
      double weight = learner.magnitude();
      double coin =
          bound
              * adversary.gradient(
                  new Adversary.Situation(
                      t,
                      unit.magnitude() * bound,
                      coins / bound,
                      variance / bound / bound,
                      unitPotential));
      losses += weight * coin;
      turnover += Math.abs(weight * coin);
      coins -= coin;
      variance += coin * coin;
      learner.observe(-coin);
      unit.observe(-coin);

      assertThat(learner.magnitude()).isEqualTo(wealth * unit.magnitude());
      double potentialNow = Math.exp(potential.logPotential(coins, variance));
      double rounding = 1e-12 * (turnover + wealth * potentialNow);
      assertThat(losses)
          .as("%s round %d of %s", adversary, t, theorem)
          .isLessThanOrEqualTo(wealth * (1 - potentialNow) + rounding);
      if (t % 10 == 9) {
        assertRegret(theorem, wealth, losses, coins, variance, rounding);
      }
    }
  }

  private static void assertRegret(
      ExpectedRegretBound theorem,
      double wealth,
      double losses,
      double coins,
      double variance,
      double rounding) {
    for (double comparator : ExpectedRegretBound.COMPARATORS) {
      double u = comparator / theorem.gradientBound();
      double scaled = u / wealth;
      double bound = wealth * theorem.bound(scaled, theorem.adaptiveTerm(scaled, variance));
      double regret = losses + u * Math.abs(coins);
      assertThat(regret)
          .as("against |u| = %s, V = %s, %s", u, variance, theorem)
          .isLessThanOrEqualTo(bound + rounding);
    }
  }
}
