package io.croupier.studies;

/**
 * Losses of a prediction, with slopes in [-1, 1] except {@link #SQUARED}, each with a law of
 * targets under which a given prediction is the best one, and the exact expected excess of any
 * other.
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
  },

  /**
   * Huber's: slope (p - y) / {@value #KNEE} within [-1, 1]; targets as of {@link #ABSOLUTE}. Its
   * expectation f solves f - s^2 f'' = the loss, s being the scale of the targets' noise.
   */
  HUBER("huber", true) {
    @Override
    double target(SeededRandom random, double best) {
      return ABSOLUTE.target(random, best);
    }

    @Override
    double slope(double prediction, double target) {
      return Math.max(-1, Math.min(1, (prediction - target) / KNEE));
    }

    @Override
    double excess(double best, double prediction) {
      double off = Math.abs(prediction - best);
      double bend = SPREAD * SPREAD / KNEE;
      double atBest = bend * -Math.expm1(-KNEE / SPREAD);
      if (off <= KNEE) {
        double tails = Math.exp((off - KNEE) / SPREAD) + Math.exp(-(off + KNEE) / SPREAD);
        return off * off / (2 * KNEE) + bend * (1 - tails / 2) - atBest;
      }
      double tail = bend / 2 * -Math.expm1(-2 * KNEE / SPREAD);
      return off - KNEE / 2 + tail * Math.exp((KNEE - off) / SPREAD) - atBest;
    }
  },

  /**
   * The hinge rounded off by a parabola over margins 0 to 1; y in {-1, 1}, with odds 1 : (1 -
   * |best|)+ for the sign of the best prediction, under which it is one.
   */
  SMOOTHED_HINGE("hinge", false) {
    @Override
    double target(SeededRandom random, double best) {
      return random.uniform() < chance(best) ? 1 : -1;
    }

    @Override
    double slope(double prediction, double target) {
      return target * hingeSlope(target * prediction);
    }

    @Override
    double excess(double best, double prediction) {
      double chance = chance(best);
      return chance * (hinge(prediction) - hinge(best))
          + (1 - chance) * (hinge(-prediction) - hinge(-best));
    }
  },

  /** (p - y)^2 / 2; targets as of {@link #ABSOLUTE}. */
  SQUARED("squared", true) {
    @Override
    double target(SeededRandom random, double best) {
      return ABSOLUTE.target(random, best);
    }

    @Override
    double slope(double prediction, double target) {
      return prediction - target;
    }

    @Override
    double excess(double best, double prediction) {
      return (prediction - best) * (prediction - best) / 2;
    }
  };

  private static final double SPREAD = 0.1;
  private static final double KNEE = 0.5;

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

  private static double hinge(double margin) {
    if (margin <= 0) {
      return 0.5 - margin;
    }
    return margin < 1 ? (1 - margin) * (1 - margin) / 2 : 0;
  }

  private static double hingeSlope(double margin) {
    return -Math.max(0, Math.min(1, 1 - margin));
  }

  /** Of the target 1. */
  private static double chance(double best) {
    return hingeSlope(-best) / (hingeSlope(best) + hingeSlope(-best));
  }
}
