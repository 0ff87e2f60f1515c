package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import org.apache.commons.math3.analysis.integration.gauss.GaussIntegrator;
import org.apache.commons.math3.analysis.integration.gauss.GaussIntegratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bets on one side, of ranges that have shrunk. */
class PotentialSideTest {
  private static final GaussIntegrator NODES = new GaussIntegratorFactory().legendre(20);
  private static final int PANELS = 600;

  /** Deep enough for the priors with a pole, whose integrand falls like 1 / s^2 at worst. */
  private static final double DEPTH = 60;

  /** v p(v), without the mass, and without the conjugate prior's exponent. */
  private static double weight(String prior, double v) {
    return switch (prior) {
      case "improper" -> 1;
      case "cv" -> 1 / (Math.log(v) * Math.log(v));
      default -> v;
    };
  }

  /** The integral over (0, range] of f(v) dv, with v = range exp(-s). */
  private static double integral(DoubleUnaryOperator f, double range) {
    double sum = 0;
    double width = DEPTH / PANELS;
    for (int panel = 0; panel < PANELS; panel++) {
      for (int i = 0; i < NODES.getNumberOfPoints(); i++) {
        double s = width * (panel + (1 + NODES.getPoint(i)) / 2);
        double v = range * Math.exp(-s);
        sum += NODES.getWeight(i) * width / 2 * v * f.applyAsDouble(v);
      }
    }
    return sum;
  }

  @ParameterizedTest
  @ValueSource(strings = {"improper", "conjugate", "uniform", "cv"})
  void isTheIntegralOverOneSide(String name) {
    SplittableRandom random = new SplittableRandom(7);
    int compared = 0;
    for (int i = 0; i < 300; i++) {
      double first = name.equals("cv") ? random.nextDouble(0.01, 0.9) : decades(random, -4, 4);
      double range = first * (i % 3 == 0 ? 1 : random.nextDouble(0.05, 1));
      double b = decades(random, -2, 2) / (range * range);
      Prior prior = TestLearners.prior(name, b);
      double mass = Potential.mass(prior, first);
      double quadratic =
          prior.addedVariance() + (i % 5 == 0 ? 0 : decades(random, -3, 4) / (range * range));
      double coins = random.nextDouble(-1, 1) * decades(random, -2, 1.7) / range;
      Potential potential = new Potential(prior, first);
      double side = potential.side(coins, quadratic, range, mass);
      double expected =
          integral(v -> weight(name, v) * Math.exp(v * coins - v * v * quadratic) / mass, range);
      assertThat(side)
          .as("L %s, V %s, range %s of %s", coins, quadratic, range, first)
          .isCloseTo(expected, within(1e-9 * expected));
      compared++;
    }
    assertThat(compared).isEqualTo(300);
  }

  /** With equal sides, their difference is the prediction. */
  @ParameterizedTest
  @ValueSource(strings = {"improper", "conjugate", "uniform", "cv"})
  void thePredictionIsTheDifferenceOfTheSides(String name) {
    SplittableRandom random = new SplittableRandom(8);
    for (int i = 0; i < 1000; i++) {
      double first = name.equals("cv") ? random.nextDouble(0.01, 0.9) : decades(random, -6, 6);
      double range = first * random.nextDouble(0.05, 1);
      Prior prior = TestLearners.prior(name, decades(random, -3, 3) / (range * range));
      double mass = Potential.mass(prior, first);
      double quadratic =
          prior.addedVariance() + (i % 5 == 0 ? 0 : decades(random, -6, 8) / (range * range));
      double coins = random.nextDouble(-1, 1) * decades(random, -4, 2.5) / range;
      Potential potential = new Potential(prior, first);
      double upper = potential.side(coins, quadratic, range, mass);
      double lower = potential.side(-coins, quadratic, range, mass);
      double prediction = potential.prediction(coins, quadratic, range, mass);
      double tolerance = 1e-11 * Math.max(upper, lower);
      assertThat(upper - lower)
          .as("L %s, V %s, range %s of %s", coins, quadratic, range, first)
          .isCloseTo(prediction, within(tolerance));
      assertThat(upper).isNotNegative();
    }
  }

  /** What falls out of a range, or was added to the wealth, scales the potential of the rest. */
  @ParameterizedTest
  @ValueSource(strings = {"conjugate", "uniform", "cv"})
  void thePotentialOfProperPriorsIsInUnitsOfTheFirstMass(String name) {
    SplittableRandom random = new SplittableRandom(9);
    for (int i = 0; i < 1000; i++) {
      double range = name.equals("cv") ? random.nextDouble(0.01, 0.9) : decades(random, -6, 6);
      Prior prior = TestLearners.prior(name, decades(random, -3, 3) / (range * range));
      double mass = Potential.mass(prior, range);
      double share = decades(random, -3, 3);
      double quadratic = prior.addedVariance() + decades(random, -6, 8) / (range * range);
      double coins = random.nextDouble(-1, 1) * decades(random, -4, 2.5) / range;
      Potential potential = new Potential(prior, range);
      double log = potential.logPotential(coins, quadratic, range, mass);
      assertThat(potential.logPotential(coins, quadratic, range, mass / share))
          .as("L %s, V %s, range %s, share %s", coins, quadratic, range, share)
          .isCloseTo(log + Math.log(share), within(1e-11 * Math.max(1, Math.abs(log))));
    }
  }

  /** What falls out of a range is lost: the rest doesn't grow. */
  @Test
  void aSmallerRangeHasSmallerBets() {
    Potential potential = new Potential(new Prior.Uniform(), 2);
    double mass = Potential.mass(new Prior.Uniform(), 2);
    double before = Double.POSITIVE_INFINITY;
    for (double range = 2; range > 1e-3; range /= 2) {
      double side = potential.side(3, 1, range, mass);
      assertThat(side).isPositive().isLessThan(before);
      before = side;
    }
  }

  @Test
  void extremesAreNumbers() {
    for (String name : new String[] {"improper", "conjugate", "uniform", "cv"}) {
      Prior prior = TestLearners.prior(name, 1);
      Potential potential = new Potential(prior, 0.5);
      for (double coins : new double[] {0, -0.0, 1e-300, -1e-300, 1e6, -1e6, 1e300, -1e300}) {
        for (double variance : new double[] {1, 1e-300, 1e300, Double.MAX_VALUE}) {
          double side = potential.side(coins, variance, 0.3, Potential.mass(prior, 0.5));
          assertThat(side).as("%s %s %s", name, coins, variance).isNotNaN().isNotNegative();
        }
      }
    }
  }

  private static double decades(SplittableRandom random, double from, double to) {
    return Math.pow(10, random.nextDouble(from, to));
  }
}
