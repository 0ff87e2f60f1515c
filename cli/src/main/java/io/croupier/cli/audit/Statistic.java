package io.croupier.cli.audit;

/**
 * A function of a release x that grows with the evidence for g against h, both clipped. Each is, up
 * to a factor, the log-likelihood ratio of one kind of noise. All are tried on every mechanism,
 * since a faulty one may differ from its declared noise or clip.
 */
enum Statistic {
  /**
   * The log-likelihood ratio of l2-laplace noise. It never exceeds ||g - h||, so it doesn't detect
   * lighter tails.
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
      // The difference of the roots, computed without cancellation far from the origin.
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

  /** The statistic of COORDINATES with g and h scaled to L2 norm G, whatever the claimed clip. */
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

  /** The log-likelihood ratio of Gaussian noise; detects bounded or light-tailed noise. */
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

  /** The formula, for messages; g and h are the gradients. */
  String formula() {
    return formula;
  }

  /** The statistic's value, in grid steps. */
  abstract double of(int[] released, NeighbouringPair pair);
}
