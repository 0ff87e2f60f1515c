package io.croupier.bench;

import io.croupier.operators.learner.Potential;
import io.croupier.operators.learner.Prior;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Compares the results of {@link ErfFormula} in double precision with those of {@link Potential},
 * where the weight is finite and not 0.
 */
public final class FormulaAccuracy {
  private static final int POINTS = 100_000;

  /**
   * Counts of results.
   *
   * @param points number of points at which the weight is finite and not 0
   * @param notFinite NaN or infinite
   * @param wrong finite, but off by more than 1e-6 of the weight
   * @param potentialNotFinite NaN or infinite by {@link Potential}
   */
  record Shares(int points, int notFinite, int wrong, int potentialNotFinite) {

    double notFiniteShare() {
      return (double) notFinite / points;
    }

    double wrongShare() {
      return (double) wrong / points;
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%d weights: %.1f %% NaN or infinite, %.1f %% off by more than 1e-6; by Potential %d not"
              + " finite",
          points,
          100 * notFiniteShare(),
          100 * wrongShare(),
          potentialNotFinite);
    }
  }

  private int points;
  private int notFinite;
  private int wrong;
  private int potentialNotFinite;

  private FormulaAccuracy() {}

  /** Prints both shares. */
  public static void main(String[] args) {
    System.out.println("Over the domain: " + overTheDomain());
    System.out.println("As a learner visits it: " + asVisited());
  }

  /** |L| from 1e-8 to 1e8, B from 1e-12 to 1e16, C from 1e-6 to 1e3, b below B: log-uniform. */
  static Shares overTheDomain() {
    FormulaAccuracy accuracy = new FormulaAccuracy();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < POINTS; i++) {
      double coins = Coordinates.logUniform(random, -8, 8);
      double quadratic = Coordinates.logUniform(random, -12, 16);
      double halfWidth = Coordinates.logUniform(random, -6, 3);
      double b = quadratic * Coordinates.logUniform(random, -6, 0);
      accuracy.compare(coins, quadratic - b, b, halfWidth);
    }
    return accuracy.shares();
  }

  /** Over {@link Coordinates}. */
  static Shares asVisited() {
    FormulaAccuracy accuracy = new FormulaAccuracy();
    Coordinates at = new Coordinates(POINTS, 1);
    for (int i = 0; i < POINTS; i++) {
      accuracy.compare(at.coins[i], at.variances[i], Coordinates.B, Coordinates.HALF_WIDTH);
    }
    return accuracy.shares();
  }

  private Shares shares() {
    return new Shares(points, notFinite, wrong, potentialNotFinite);
  }

  /** The logarithm uses a separate quadrature rule, which neither overflows nor underflows. */
  private void compare(double coins, double variance, double b, double halfWidth) {
    Potential potential = new Potential(new Prior.Conjugate(b), halfWidth);
    double log = potential.logPrediction(coins, variance);
    if (Math.abs(log) >= 700) {
      return;
    }
    points++;
    double weight = potential.prediction(coins, variance);
    if (!Double.isFinite(weight)) {
      potentialNotFinite++;
      return;
    }
    double formula = ErfFormula.prediction(coins, variance, b, halfWidth);
    if (!Double.isFinite(formula)) {
      notFinite++;
    } else if (Math.abs(formula - weight) > 1e-6 * Math.abs(weight)) {
      wrong++;
    }
  }
}
