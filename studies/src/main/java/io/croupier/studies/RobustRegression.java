package io.croupier.studies;

import java.util.Arrays;

/**
 * The two designs of [LDP, section 5]: x = (1, z), z standard normal in five coordinates, true
 * weights all 1, each person's loss times min(1, 2 / ||x||^2) (Mallows), so that gradients are at
 * most sqrt(2) times the steepest slope. Linear: residuals N(0, 2^2) and Huber's loss at c = 1.345,
 * the scale known. Logistic: cross-entropy.
 *
 * <p>Its excess is the squared distance from the true weights, as in the paper's Figures 2 and 3.
 */
enum RobustRegression implements Population {
  HUBER(1.345) {
    @Override
    double target(SeededRandom random, double best) {
      return best + SIGMA * random.normal();
    }

    @Override
    public double slope(double prediction, double target) {
      return Math.max(-steepest, Math.min(steepest, (prediction - target) / SIGMA));
    }
  },

  LOGISTIC(1) {
    @Override
    double target(SeededRandom random, double best) {
      return Loss.LOGISTIC.target(random, best);
    }

    @Override
    public double slope(double prediction, double target) {
      return Loss.LOGISTIC.slope(prediction, target);
    }
  };

  private static final int COVARIATES = 5;
  private static final double SIGMA = 2;

  final double steepest;

  RobustRegression(double steepest) {
    this.steepest = steepest;
  }

  /** C0: no gradient is longer. */
  double gradientBound() {
    return Math.sqrt(2) * steepest;
  }

  abstract double target(SeededRandom random, double best);

  @Override
  public int dimension() {
    return COVARIATES + 1;
  }

  @Override
  public void draw(SeededRandom random, Person into) {
    into.x[0] = 1;
    double square = 1;
    for (int j = 1; j < into.x.length; j++) {
      into.x[j] = random.normal();
      square += into.x[j] * into.x[j];
    }
    into.importance = Math.min(1, 2 / square);
    into.target = target(random, Arrays.stream(into.x).sum());
  }

  @Override
  public double excess(double[] weights) {
    return Arrays.stream(weights).map(w -> (w - 1) * (w - 1)).sum();
  }
}
