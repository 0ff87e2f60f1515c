package io.croupier.accounting;

/**
 * The total privacy loss of several randomised responses: a finite distribution of the log
 * likelihood ratio S, under the input that makes large values likely. One response of level epsilon
 * has S = +epsilon with probability exp(epsilon) / (1 + exp(epsilon)), else -epsilon.
 *
 * <p>All rounding is towards less privacy. Probabilities below 1e-290 are omitted and counted as
 * lost. Where the sum of two distributions would have more than 2^15 points, values are moved to a
 * grid of that size: each is split between its two neighbours so that E exp(-S) doesn't increase,
 * and hockey-stick divergences, being convex in exp(-S), can only grow [DGKKM22].
 */
final class LossDistribution {
  private static final int MOST_POINTS = 1 << 15;
  private static final double NEGLIGIBLE = 1e-290;
  private static final double LARGEST_EXPONENT = 700;

  final double[] losses;
  final double[] probabilities;

  /** An upper bound on the total omitted probability. */
  final double lost;

  /** Whether no value was moved. */
  final boolean exact;

  private LossDistribution(double[] losses, double[] probabilities, double lost, boolean exact) {
    this.losses = losses;
    this.probabilities = probabilities;
    this.lost = lost;
    this.exact = exact;
  }

  /** The loss of no response: S = 0. */
  static LossDistribution none() {
    return new LossDistribution(new double[] {0}, new double[] {1}, 0, true);
  }

  /** Upper bound on the number of points of {@link #ofReports}. */
  static double points(long reports) {
    // 1e-290 is 52 standard deviations out, of sqrt(reports) / 2 at most.
    return Math.min(reports + 1.0, 60 * StrictMath.sqrt((double) reports) + 60);
  }

  /**
   * The loss of equal responses: binomial, computed by the ratio of neighbouring probabilities,
   * starting from the mode. O(sqrt(reports)) points.
   */
  static LossDistribution ofReports(double epsilon, long reports) {
    double odds = StrictMath.exp(Math.min(epsilon, LARGEST_EXPONENT));
    double right = odds / (1 + odds);
    long mode = Math.min(reports, (long) ((reports + 1.0) * right));
    int most = (int) points(reports) + 2;
    double[] above = new double[most];
    int up = 0;
    for (double w = 1; w >= NEGLIGIBLE && mode + up <= reports && up < most; up++) {
      above[up] = w;
      double j = mode + up;
      w *= (reports - j) / (j + 1) * odds;
    }
    double[] below = new double[most];
    int down = 0;
    for (double w = mode / (reports - mode + 1.0) / odds;
        w >= NEGLIGIBLE && down < mode && down < most;
        down++) {
      below[down] = w;
      double j = mode - down - 1.0;
      w *= j / (reports - j + 1) / odds;
    }
    double[] losses = new double[up + down];
    double[] probabilities = new double[up + down];
    double sum = 0;
    for (int i = 0; i < losses.length; i++) {
      probabilities[i] = i < down ? below[down - 1 - i] : above[i - down];
      sum += probabilities[i];
      double j = mode - down + (double) i;
      losses[i] = (2 * j - reports) * epsilon;
    }
    for (int i = 0; i < losses.length; i++) {
      probabilities[i] /= sum;
    }
    double lost = losses.length == reports + 1.0 ? 0 : reports * NEGLIGIBLE;
    return new LossDistribution(losses, probabilities, lost, true);
  }

  /** The sum of two independent losses; O(points of one times points of the other). */
  LossDistribution plus(LossDistribution other) {
    long pairs = (long) losses.length * other.losses.length;
    return pairs <= MOST_POINTS ? pairs(other, (int) pairs) : onGrid(other);
  }

  private LossDistribution pairs(LossDistribution other, int pairs) {
    double[] sums = new double[pairs];
    double[] products = new double[pairs];
    int n = 0;
    double left = lost + other.lost;
    for (int i = 0; i < losses.length; i++) {
      for (int k = 0; k < other.losses.length; k++) {
        double p = probabilities[i] * other.probabilities[k];
        sums[n] = losses[i] + other.losses[k];
        products[n] = p;
        n++;
      }
    }
    // A product that underflows is below the smallest normal double.
    left += pairs * Double.MIN_NORMAL;
    return new LossDistribution(sums, products, left, exact && other.exact);
  }

  private LossDistribution onGrid(LossDistribution other) {
    double least = least(losses) + least(other.losses);
    double most = most(losses) + most(other.losses);
    double step = (most - least) / (MOST_POINTS - 2);
    // At least the exact share moves up, and all of the probability if rounding makes the share
    // exceed 1.
    double share = -1 / StrictMath.expm1(-step) * (1 + RenyiDp.ROUNDING);
    double[] sums = new double[MOST_POINTS];
    double[] masses = new double[MOST_POINTS];
    for (int n = 0; n < MOST_POINTS; n++) {
      sums[n] = least + n * step;
    }
    for (int i = 0; i < losses.length; i++) {
      for (int k = 0; k < other.losses.length; k++) {
        double p = probabilities[i] * other.probabilities[k];
        double s = losses[i] + other.losses[k];
        int cell = Math.min(MOST_POINTS - 2, (int) ((s - least) / step));
        double up = Math.max(0, Math.min(1, (s - sums[cell]) * share));
        masses[cell] += p * (1 - up);
        masses[cell + 1] += p * up;
      }
    }
    double left = lost + other.lost + MOST_POINTS * Double.MIN_NORMAL;
    return new LossDistribution(sums, masses, left, false);
  }

  private static double least(double[] values) {
    double least = values[0];
    for (double v : values) {
      least = Math.min(least, v);
    }
    return least;
  }

  private static double most(double[] values) {
    double most = values[0];
    for (double v : values) {
      most = Math.max(most, v);
    }
    return most;
  }
}
