package io.croupier.cli.audit;

/**
 * A number made of a release x that is larger, the more x looks like a release of g than one of -g.
 * Each is, up to a factor, the log-likelihood ratio of one kind of noise; all are tried on every
 * mechanism, since one that errs need not have the noise that it says.
 */
enum Statistic {
  /** The log-likelihood ratio of l2-laplace noise. Never beyond 2 ||g||: blind to lighter tails. */
  DISTANCES("||x + g|| - ||x - g||") {
    @Override
    double of(int[] released, double length) {
      double others = 0;
      for (int i = 1; i < released.length; i++) {
        others += (double) released[i] * released[i];
      }
      double first = released[0];
      double toMinus = Math.sqrt(others + (first + length) * (first + length));
      double toPlus = Math.sqrt(others + (first - length) * (first - length));
      // A difference of squares over a sum of roots: far from the origin, roots would cancel.
      return 4 * first * length / (toMinus + toPlus);
    }
  },

  /** The log-likelihood ratio of Gaussian noise; sees how far noise reaches. */
  PROJECTION("<x, g> / ||g||") {
    @Override
    double of(int[] released, double length) {
      return released[0];
    }
  };

  private final String formula;

  Statistic(String formula) {
    this.formula = formula;
  }

  /** For people, g being the gradient. */
  String formula() {
    return formula;
  }

  /**
   * The statistic's value, in grid steps.
   *
   * @param length of g, which lies along the first axis, in grid steps; positive
   */
  abstract double of(int[] released, double length);
}
