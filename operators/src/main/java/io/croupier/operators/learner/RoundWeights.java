package io.croupier.operators.learner;

/**
 * The weight of a round: how many times more it counts than a round of few reports. Rounds grow
 * with the rate of reports, and the mean of more reports has less noise. If all rounds counted the
 * same, the noisiest would decide how fast a learner learns.
 *
 * <p>Rounds are grouped by size: class c has 4^c to 4^(c+1) - 1 reports. With q_c the mean squared
 * norm of the gradients of class c, with weights 1, 2, .., and b the class of the first round, a
 * round of class c > b has the weight
 *
 * <pre>
 *   2^j,  j = floor(log2 sqrt(q_b / q_c)),  from 0 to min(c - b, 2)
 * </pre>
 *
 * <p>Pure noise of independent reports has q_b / q_c near 4^(c-b), so the weighted gradients of
 * three adjacent classes have about the same noise. Where the signal dominates, q_b / q_c is near 1
 * and all rounds count the same. Weights above 4 learn faster from strong noise, but overshoot with
 * 100,000 reports a publication. A class without rounds takes q from the largest one below it that
 * has any, from b on. The weight depends only on earlier rounds and on the round's own number of
 * reports.
 *
 * <p>Source: our own. Simulated with 10 to 100,000 reports a publication, with and without noise.
 */
final class RoundWeights {
  /** Number of weights: 1, 2 and 4. */
  static final int WEIGHTS = 3;

  private static final int CLASSES = 16;

  private static final int NONE = -1;

  /** The class b; NONE before the first round. */
  private int unit = NONE;

  private final long[] rounds = new long[CLASSES];
  private final double[] squaredNorms = new double[CLASSES];

  /** Returns j for a round of {@code reports} reports, at least 1; its weight is 2^j. */
  int exponent(int reports) {
    int own = sizeClass(reports);
    if (unit == NONE || own <= unit) {
      return 0;
    }
    int known = own;
    while (rounds[known] == 0) {
      known--;
    }
    double ratio = squaredNorms[unit] / squaredNorms[known];
    if (!(ratio > 1)) {
      return 0;
    }
    int halved = Math.getExponent(ratio) / 2;
    return Math.min(halved, Math.min(own - unit, WEIGHTS - 1));
  }

  /** Returns q_b, the mean squared norm of the smallest rounds; 0 before the first one. */
  double leastRounds() {
    return unit == NONE ? 0 : squaredNorms[unit];
  }

  /** Observes the squared norm of a round's mean gradient; it must be finite. */
  void observe(int reports, double squaredNorm) {
    int own = sizeClass(reports);
    if (unit == NONE) {
      unit = own;
    }
    double n = ++rounds[own];
    squaredNorms[own] += 2 / (n + 1) * (squaredNorm - squaredNorms[own]);
  }

  private static int sizeClass(int reports) {
    return (Integer.SIZE - 1 - Integer.numberOfLeadingZeros(reports)) / 2;
  }

  void visit(LearnerState.Visitor visitor) {
    unit = (int) visitor.count("unit-size-class", unit);
    visitor.counts("rounds-by-size", rounds);
    visitor.vector("trimmed-squared-norms-by-size", squaredNorms);
  }

  /** Restores the squared norms of reports that were not trimmed, limited to {@code largest}. */
  void restoreUntrimmed(LearnerState.Visitor reader, double gradientBound, double largest) {
    reader.vector("squared-norms-by-size", squaredNorms);
    for (int c = 0; c < CLASSES; c++) {
      squaredNorms[c] = Math.min(squaredNorms[c] / gradientBound / gradientBound, largest);
    }
  }
}
