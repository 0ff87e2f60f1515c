package io.croupier.cli.audit;

import java.util.List;
import org.apache.commons.math3.distribution.NormalDistribution;

/**
 * Compares the noise along the axis with the largest variance with the claimed variance, and checks
 * that half of the releases there are odd multiples of the grid step, as they are if the noise uses
 * every step.
 *
 * <p>The moments are about the gradient, not about the mean, so noise that is not centred is
 * detected, too.
 */
final class NoiseCheck {
  /**
   * Upper bound, in squared grid steps, on the variance that rounding to the grid adds. Rounding
   * doesn't reduce the variance of noise that is at least one step wide.
   */
  private static final double ROUNDING = 0.25;

  private final NeighbouringPair pair;
  private final double claimed;
  private long count;
  private double squares;
  private double fourths;
  private long odd;

  /** Makes a check without releases. */
  NoiseCheck(Claim claim) {
    pair = claim.pair();
    claimed = claim.varianceInSteps();
  }

  /** Adds one release of g, if {@code sign} is 1, or of h. */
  void add(int[] released, int sign) {
    // In units of the claimed variance, which prevents overflow.
    int there = released[pair.noisiest()];
    double noise = there - pair.step(sign, pair.noisiest());
    double square = noise * noise / claimed;
    count++;
    squares += square;
    fourths += square * square;
    odd += there & 1;
  }

  /** Adds all releases of another check. */
  void add(NoiseCheck other) {
    count += other.count;
    squares += other.squares;
    fourths += other.fourths;
    odd += other.odd;
  }

  /** Share of the releases that are odd multiples of the grid's step. */
  private double oddShare() {
    return (double) odd / count;
  }

  /**
   * The largest deviation of that share from one half: by chance, except with the given probability
   * (Hoeffding), plus the bias of noise that is hardly wider than a step.
   */
  private double oddMargin(double falseAlarm) {
    return Math.sqrt(Math.log(2 / falseAlarm) / (2 * count)) + 1 / claimed;
  }

  /** Whether every step of the grid is used; wrongly false with at most the given probability. */
  private boolean fillsTheGrid(double falseAlarm) {
    return Math.abs(oddShare() - 0.5) <= oddMargin(falseAlarm);
  }

  /**
   * The checks of the variance and of the grid.
   *
   * @param variance that is claimed, in units of gradients
   * @param falseAlarm bound on the probability that a check refutes a true claim
   */
  List<Finding.Check> checks(double variance, double falseAlarm) {
    return List.of(
        new Finding.Check(
            "variance along an axis",
            Finding.number(variance),
            Finding.format(
                "%s +- %s",
                Finding.number(variance * ratio()), Finding.number(variance * margin(falseAlarm))),
            !agrees(falseAlarm),
            "its variance is %s times the claimed one".formatted(Finding.number(ratio()))),
        new Finding.Check(
            "odd multiples of the grid step",
            "half",
            Finding.format("%.4f +- %s", oddShare(), Finding.number(oddMargin(falseAlarm))),
            !fillsTheGrid(falseAlarm),
            "it omits steps of the grid"));
  }

  /** Measured variance, as a multiple of the claimed one. */
  private double ratio() {
    return squares / count;
  }

  /**
   * The largest deviation of the ratio from 1 by chance, except with the given probability (normal
   * approximation).
   */
  private double margin(double falseAlarm) {
    double ofOne = Math.max(0, fourths / count - ratio() * ratio());
    double deviations =
        -new NormalDistribution(null, 0, 1).inverseCumulativeProbability(falseAlarm / 2);
    return deviations * Math.sqrt(ofOne / count);
  }

  /** Whether the noise has its claimed variance; wrongly false with the given probability. */
  private boolean agrees(double falseAlarm) {
    double margin = margin(falseAlarm);
    return ratio() >= 1 - margin && ratio() <= 1 + ROUNDING / claimed + margin;
  }
}
