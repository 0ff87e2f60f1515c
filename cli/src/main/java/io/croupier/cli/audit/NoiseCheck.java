package io.croupier.cli.audit;

import org.apache.commons.math3.distribution.NormalDistribution;

/**
 * The noise along the axis where there is most of it against its claimed variance, and releases
 * against their range.
 *
 * <p>Second and fourth moments about the gradient, not about the mean: noise that is not centred
 * shows too.
 */
final class NoiseCheck {
  /** Releases are symmetric 32-bit integers. */
  private static final int OUT_OF_RANGE = Integer.MIN_VALUE;

  /**
   * By how much, in squared grid steps, rounding the noise to the grid may add to its variance. It
   * takes nothing away from noise that is at least a step wide.
   */
  private static final double ROUNDING = 0.25;

  private final Pair pair;
  private final double claimed;
  private long count;
  private double squares;
  private double fourths;
  private long outOfRange;

  /** Of nothing yet. */
  NoiseCheck(Claim claim) {
    pair = claim.pair();
    claimed = claim.varianceInSteps();
  }

  /** Takes in one release of g, if {@code sign} is 1, or of -g. */
  void add(int[] released, int sign) {
    // In units of the claimed variance, so that nothing overflows.
    double noise = released[pair.noisiest()] - sign * pair.step(pair.noisiest());
    double square = noise * noise / claimed;
    count++;
    squares += square;
    fourths += square * square;
    for (int coordinate : released) {
      if (coordinate == OUT_OF_RANGE) {
        outOfRange++;
        return;
      }
    }
  }

  /** Takes in all that another one has. */
  void add(NoiseCheck other) {
    count += other.count;
    squares += other.squares;
    fourths += other.fourths;
    outOfRange += other.outOfRange;
  }

  /** How many releases were looked at. */
  long count() {
    return count;
  }

  /** How many of them are no points of the grid that a report can hold. */
  long outOfRange() {
    return outOfRange;
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
