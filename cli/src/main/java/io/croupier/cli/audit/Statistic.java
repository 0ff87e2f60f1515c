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
    double of(int[] released, Pair pair) {
      double product = 0;
      double toMinus = 0;
      double toPlus = 0;
      for (int j = 0; j < released.length; j++) {
        double step = pair.step(j);
        double before = released[j] + step;
        double beyond = released[j] - step;
        product += released[j] * step;
        toMinus += before * before;
        toPlus += beyond * beyond;
      }
      // A difference of squares over a sum of roots: far from the origin, roots would cancel.
      return 4 * product / (Math.sqrt(toMinus) + Math.sqrt(toPlus));
    }
  },

  /** The log-likelihood ratio of coordinate-laplace noise, up to the step of the grid. */
  COORDINATES("sum of tau_j (|x_j + g_j| - |x_j - g_j|)") {
    @Override
    double of(int[] released, Pair pair) {
      double sum = 0;
      for (int j = 0; j < released.length; j++) {
        double step = pair.step(j);
        sum += pair.weight(j) * (Math.abs(released[j] + step) - Math.abs(released[j] - step));
      }
      return sum;
    }
  },

  /** The log-likelihood ratio of Gaussian noise; sees how far noise reaches. */
  PROJECTION("<x, g> / ||g||") {
    @Override
    double of(int[] released, Pair pair) {
      double product = 0;
      for (int j = 0; j < released.length; j++) {
        product += released[j] * pair.step(j);
      }
      return product / pair.length();
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

  /** The statistic's value, in grid steps. */
  abstract double of(int[] released, Pair pair);
}
