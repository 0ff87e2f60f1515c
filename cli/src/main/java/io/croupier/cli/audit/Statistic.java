package io.croupier.cli.audit;

/**
 * A number made of a release x that is larger, the more x looks like a release of g than one of h,
 * both as they are when they are clipped. Each is, up to a factor, the log-likelihood ratio of one
 * kind of noise; all are tried on every mechanism, since one that errs need not have the noise, nor
 * the clip, that it says.
 */
enum Statistic {
  /**
   * The log-likelihood ratio of l2-laplace noise. Never beyond ||g - h||: blind to lighter tails.
   */
  DISTANCES("||x - h|| - ||x - g||") {
    @Override
    double of(int[] released, NeighbouringPair pair) {
      double product = 0;
      double toH = 0;
      double toG = 0;
      for (int j = 0; j < released.length; j++) {
        double g = pair.step(1, j);
        double h = pair.step(-1, j);
        product += (g - h) * (2.0 * released[j] - g - h);
        toH += (released[j] - h) * (released[j] - h);
        toG += (released[j] - g) * (released[j] - g);
      }
      // A difference of squares over a sum of roots: far from the origin, roots would cancel.
      return product / (Math.sqrt(toH) + Math.sqrt(toG));
    }
  },

  /** The log-likelihood ratio of coordinate-laplace noise, up to the step of the grid. */
  COORDINATES("sum of tau_j (|x_j - h_j| - |x_j - g_j|)") {
    @Override
    double of(int[] released, NeighbouringPair pair) {
      double sum = 0;
      for (int j = 0; j < released.length; j++) {
        double toH = Math.abs(released[j] - pair.step(-1, j));
        sum += pair.weight(j) * (toH - Math.abs(released[j] - pair.step(1, j)));
      }
      return sum;
    }
  },

  /** The same if g and h were scaled to L2 norm G, whatever the claim says of the clip. */
  SCALED_COORDINATES("sum of tau_j (|x_j - h_j| - |x_j - g_j|), g and h scaled to norm G,") {
    @Override
    double of(int[] released, NeighbouringPair pair) {
      double sum = 0;
      for (int j = 0; j < released.length; j++) {
        double toH = Math.abs(released[j] - pair.scaledStep(-1, j));
        sum += pair.weight(j) * (toH - Math.abs(released[j] - pair.scaledStep(1, j)));
      }
      return sum;
    }
  },

  /** The log-likelihood ratio of Gaussian noise; sees how far noise reaches. */
  PROJECTION("<x, g - h> / ||g - h||") {
    @Override
    double of(int[] released, NeighbouringPair pair) {
      double product = 0;
      for (int j = 0; j < released.length; j++) {
        product += released[j] * (pair.step(1, j) - pair.step(-1, j));
      }
      return product / pair.length();
    }
  };

  private final String formula;

  Statistic(String formula) {
    this.formula = formula;
  }

  /** For people, g and h being the gradients. */
  String formula() {
    return formula;
  }

  /** The statistic's value, in grid steps. */
  abstract double of(int[] released, NeighbouringPair pair);
}
