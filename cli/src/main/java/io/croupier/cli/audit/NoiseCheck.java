package io.croupier.cli.audit;

import org.apache.commons.math3.distribution.NormalDistribution;

/**
 * The noise along the axis where there is most of it against its claimed variance, and the releases
 * there against the grid: noise that uses every step of it makes half of them odd multiples.
 *
 * <p>Second and fourth moments about the gradient, not about the mean: noise that is not centred
 * shows too.
 */
final class NoiseCheck {
  /**
   * By how much, in squared grid steps, rounding the noise to the grid may add to its variance. It
   * takes nothing away from noise that is at least a step wide.
   */
  private static final double ROUNDING = 0.25;

  private final NeighbouringPair pair;
  private final double claimed;
  private long count;
  private double squares;
  private double fourths;
  private long odd;

  /** Of nothing yet. */
  NoiseCheck(Claim claim) {
    pair = claim.pair();
    claimed = claim.varianceInSteps();
  }

  /** Takes in one release of g, if {@code sign} is 1, or of h. */
  void add(int[] released, int sign) {
    // In units of the claimed variance, so that nothing overflows.
    int there = released[pair.noisiest()];
    double noise = there - pair.step(sign, pair.noisiest());
    double square = noise * noise / claimed;
    count++;
    squares += square;
    fourths += square * square;
    odd += there & 1;
  }

  /** Takes in all that another one has. */
  void add(NoiseCheck other) {
    count += other.count;
    squares += other.squares;
    fourths += other.fourths;
    odd += other.odd;
  }

  /** Share of the releases that are odd multiples of the grid's step. */
  double oddShare() {
    return (double) odd / count;
  }

  /**
   * By how much that share may be off a half: by chance, but for the given probability (Hoeffding),
   * and, of noise that is hardly wider than a step, by itself.
   */
  double oddMargin(double falseAlarm) {
    return Math.sqrt(Math.log(2 / falseAlarm) / (2 * count)) + 1 / claimed;
  }

  /** Whether every step of the grid is used; wrongly not with the given probability at most. */
  boolean fillsTheGrid(double falseAlarm) {
    return Math.abs(oddShare() - 0.5) <= oddMargin(falseAlarm);
  }

  /** Measured variance, as a multiple of the claimed one. */
  double ratio() {
    return squares / count;
  }

  /** By how much the ratio may be off 1 by chance, but for the given probability (normal law). */
  double margin(double falseAlarm) {
    double ofOne = Math.max(0, fourths / count - ratio() * ratio());
    double deviations =
        -new NormalDistribution(null, 0, 1).inverseCumulativeProbability(falseAlarm / 2);
    return deviations * Math.sqrt(ofOne / count);
  }

  /** Whether the noise has its claimed variance; wrongly not with the given probability. */
  boolean agrees(double falseAlarm) {
    double margin = margin(falseAlarm);
    return ratio() >= 1 - margin && ratio() <= 1 + ROUNDING / claimed + margin;
  }
}
