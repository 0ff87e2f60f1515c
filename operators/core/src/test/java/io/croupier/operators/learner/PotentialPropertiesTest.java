package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The properties of a potential, at random points over many decades. */
class PotentialPropertiesTest {
  private static final int POINTS = 400;

  /** Accuracy of a logarithm: 1e-13 max(1, |log|), and a difference has two. */
  private static double logTolerance(double log) {
    return 2e-13 * Math.max(1, Math.abs(log));
  }

  /**
   * A potential and a point. The scaled C L and C^2 V determine how far in the tail the point is.
   */
  private record Point(String prior, double b, double halfWidth, double coins, double variance) {

    Potential potential() {
      return new Potential(TestLearners.prior(prior, b), halfWidth);
    }

    /** The same point with gradients in another unit. */
    Point times(double unit) {
      return new Point(
          prior, b * unit * unit, halfWidth / unit, coins * unit, variance * unit * unit);
    }

    boolean isProper() {
      return !prior.equals("improper");
    }

    /** Beyond the betting fractions that matter at this point: the peak and four deviations. */
    double largestFraction() {
      double quadratic = variance + b;
      return Math.min(halfWidth, Math.abs(coins) / (2 * quadratic) + 4 / Math.sqrt(2 * quadratic));
    }

    /** F, or the excess that replaces it. */
    double wealth(double coins) {
      double log = potential().logPotential(coins, variance);
      return isProper() ? Math.exp(log) : Math.copySign(Math.expm1(Math.abs(log)), log);
    }

    /** The scale to which rounding errors of the wealth and its derivatives are relative. */
    double size() {
      return isProper() ? wealth(coins) : 1 + Math.abs(wealth(coins));
    }
  }

  private static double decades(SplittableRandom random, double from, double to) {
    return Math.pow(10, random.nextDouble(from, to));
  }

  private static List<Point> points(String prior, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < POINTS; i++) {
      double c = prior.equals("cv") ? decades(random, -4, -0.02) : decades(random, -4, 3);
      double b = prior.equals("conjugate") ? decades(random, -4, 4) / (c * c) : 0;
      double variance = i % 10 == 0 ? 0 : decades(random, -6, 9) / (c * c);
      double coins = decades(random, -6, 3.2) / c;
      points.add(new Point(prior, b, c, random.nextBoolean() ? coins : -coins, variance));
    }
    return points;
  }

  @ParameterizedTest
  @ValueSource(strings = {"improper", "conjugate", "uniform", "cv"})
  void predictionIsOddAndPotentialEvenToTheLastBit(String prior) {
    for (Point p : points(prior, 1)) {
      Potential potential = p.potential();
      assertThat(potential.prediction(-p.coins, p.variance))
          .as("%s", p)
          .isEqualTo(-potential.prediction(p.coins, p.variance));
      assertThat(potential.logPrediction(-p.coins, p.variance))
          .as("%s", p)
          .isEqualTo(potential.logPrediction(p.coins, p.variance));
      assertThat(potential.logPotential(-p.coins, p.variance))
          .as("%s", p)
          .isEqualTo(potential.logPotential(p.coins, p.variance));
    }
  }

  /**
   * w = dF/dL by central differences, extrapolated twice, with steps of an eighth of the length on
   * which F changes: the remaining error is below 1e-10 of F times the largest fraction. Where F is
   * beyond e^30, the test uses ln F and w / F.
   */
  @ParameterizedTest
  @ValueSource(strings = {"improper", "conjugate", "uniform", "cv"})
  void predictionIsTheDerivativeOfThePotential(String prior) {
    int telling = 0;
    for (Point p : points(prior, 2)) {
      Potential potential = p.potential();
      double step = 1 / (8 * p.largestFraction());
      double log = potential.logPotential(p.coins, p.variance);
      boolean inLogarithms = log > 30;
      double[] difference = new double[3];
      for (int i = 0; i < difference.length; i++) {
        double h = Math.scalb(step, -i);
        double above = p.coins + h;
        double below = p.coins - h;
        double rise =
            inLogarithms
                ? potential.logPotential(above, p.variance)
                    - potential.logPotential(below, p.variance)
                : p.wealth(above) - p.wealth(below);
        difference[i] = rise / (above - below);
      }
      double coarse = (4 * difference[1] - difference[0]) / 3;
      double fine = (4 * difference[2] - difference[1]) / 3;
      double derivative = (16 * fine - coarse) / 15;

      double expected =
          inLogarithms
              ? Math.copySign(Math.exp(potential.logPrediction(p.coins, p.variance) - log), p.coins)
              : potential.prediction(p.coins, p.variance);
      double size = inLogarithms ? 1 : p.size();
      double tolerance =
          size * (1e-10 * p.largestFraction() + 4 * logTolerance(log) / Math.scalb(step, -2));
      assertThat(derivative).as("%s", p).isCloseTo(expected, within(tolerance));
      telling += Math.abs(expected) > 1000 * tolerance ? 1 : 0;
    }
    assertThat(telling).isGreaterThan(POINTS / 3);
  }

  /** F is convex: three values, an expected fraction apart, so that rounding can't decide. */
  @ParameterizedTest
  @ValueSource(strings = {"improper", "conjugate", "uniform", "cv"})
  void potentialIsConvexInTheCoins(String prior) {
    int checked = 0;
    for (Point p : points(prior, 3)) {
      double h = 1 / p.largestFraction();
      if (Math.abs(p.potential().logPotential(p.coins, p.variance)) < 30) {
        assertThat(p.wealth(p.coins + h) / 2 + p.wealth(p.coins - h) / 2 - p.wealth(p.coins))
            .as("%s", p)
            .isGreaterThan(1e-3 * p.size());
        checked++;
      }
    }
    assertThat(checked).isGreaterThan(POINTS / 2);
  }

  /** ln F is a log-sum-exp of linear functions of L: convex, where F overflows too. */
  @ParameterizedTest
  @ValueSource(strings = {"conjugate", "uniform", "cv"})
  void logPotentialIsConvexInTheCoins(String prior) {
    int overflowing = 0;
    for (Point p : points(prior, 4)) {
      Potential potential = p.potential();
      double h = 1 / p.halfWidth;
      double above = potential.logPotential(p.coins + h, p.variance);
      double below = potential.logPotential(p.coins - h, p.variance);
      double here = potential.logPotential(p.coins, p.variance);
      assertThat(above / 2 + below / 2)
          .as("%s", p)
          .isGreaterThanOrEqualTo(here - logTolerance(Math.max(above, below)));
      overflowing += here > 710 ? 1 : 0;
    }
    assertThat(overflowing).isPositive();
  }

  /** sinh(v L) / L grows with L > 0, hence w / L: more than convexity of F. */
  @ParameterizedTest
  @ValueSource(strings = {"improper", "conjugate", "uniform", "cv"})
  void predictionGrowsAtLeastInProportionToTheCoins(String prior) {
    SplittableRandom random = new SplittableRandom(5);
    for (Point p : points(prior, 5)) {
      Potential potential = p.potential();
      double factor = 1 + decades(random, -3, 1);
      double log = potential.logPrediction(p.coins, p.variance);
      double farther = potential.logPrediction(factor * p.coins, p.variance);
      assertThat(farther)
          .as("%s", p)
          .isGreaterThanOrEqualTo(log + Math.log(factor) - logTolerance(farther));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"improper", "conjugate", "uniform", "cv"})
  void potentialFallsWithTheVariance(String prior) {
    SplittableRandom random = new SplittableRandom(6);
    for (Point p : points(prior, 6)) {
      Potential potential = p.potential();
      double more =
          p.variance
              + decades(random, -1, 1) * (p.variance + p.b + 1 / (p.halfWidth * p.halfWidth));
      assertThat(potential.logPotential(0, more))
          .as("%s", p)
          .isLessThan(potential.logPotential(0, p.variance) - 1e-4);
      double log = potential.logPotential(p.coins, p.variance);
      assertThat(potential.logPotential(p.coins, more))
          .as("%s", p)
          .isLessThanOrEqualTo(log + logTolerance(log));
    }
  }

  /**
   * In another unit of gradients w is in the inverse unit and F the same: to the last bit for
   * powers of two, otherwise up to the effect of rounding L, V and C, which is amplified by 1 + C
   * |L|. (The prior cv has a unit of its own: its fractions are compared with 1.)
   */
  @ParameterizedTest
  @ValueSource(strings = {"improper", "conjugate", "uniform"})
  void unitsOnlyScale(String prior) {
    SplittableRandom random = new SplittableRandom(7);
    for (Point p : points(prior, 7)) {
      double w = p.potential().prediction(p.coins, p.variance);
      double binary = Math.scalb(1.0, random.nextInt(-60, 61));
      Point scaled = p.times(binary);
      Potential potential = scaled.potential();
      assertThat(potential.prediction(scaled.coins, scaled.variance))
          .as("%s", p)
          .isEqualTo(w / binary);
      assertThat(potential.logPotential(scaled.coins, scaled.variance))
          .as("%s", p)
          .isEqualTo(p.potential().logPotential(p.coins, p.variance));

      double unit = decades(random, -3, 3);
      Point other = p.times(unit);
      double rescaled = other.potential().prediction(other.coins, other.variance) * unit;
      if (Double.isFinite(w) && Double.isFinite(rescaled)) {
        double relative = 2e-13 + 2e-15 * p.halfWidth * Math.abs(p.coins);
        assertThat(rescaled).as("%s", p).isCloseTo(w, within(relative * Math.abs(w)));
      }
    }
  }
}
