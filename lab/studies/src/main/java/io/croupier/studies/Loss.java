package io.croupier.studies;

/**
 * Losses of a prediction, with slopes in [-1, 1], each with a law of targets under which a given
 * prediction is the best one, and the exact expected excess of any other.
 */
enum Loss {
  /** |p - y|; y is the best prediction plus Laplace noise of scale {@value #SPREAD}. */
  ABSOLUTE("abs", true) {
    @Override
    double target(SeededRandom random, double best) {
      return best + SPREAD * random.laplace();
    }

    @Override
    double slope(double prediction, double target) {
      return Math.signum(prediction - target);
    }

    @Override
    double excess(double best, double prediction) {
      double off = Math.abs(prediction - best);
      return off + SPREAD * Math.expm1(-off / SPREAD);
    }
  },

  /** Cross-entropy; y in {0, 1}, the log odds of 1 being the best prediction. */
  LOGISTIC("logistic", false) {
    @Override
    double target(SeededRandom random, double best) {
      return random.uniform() < sigmoid(best) ? 1 : 0;
    }

    @Override
    double slope(double prediction, double target) {
      return sigmoid(prediction) - target;
    }

    /** The divergence of Kullback and Leibler. */
    @Override
    double excess(double best, double prediction) {
      return sigmoid(best) * (best - prediction) + softplus(prediction) - softplus(best);
    }
  };

  private static final double SPREAD = 0.1;

  final String label;

  /** Whether the excess depends on the difference of the two predictions only. */
  final boolean ofDifference;

  Loss(String label, boolean ofDifference) {
    this.label = label;
    this.ofDifference = ofDifference;
  }

  /** Draws a target for which {@code best} is the best prediction. */
  abstract double target(SeededRandom random, double best);

  abstract double slope(double prediction, double target);

  /** Expected loss of {@code prediction} less that of {@code best}, at least 0. */
  abstract double excess(double best, double prediction);

  static double sigmoid(double p) {
    return 1 / (1 + Math.exp(-p));
  }

  private static double softplus(double p) {
    return Math.max(p, 0) + Math.log1p(Math.exp(-Math.abs(p)));
  }
}
