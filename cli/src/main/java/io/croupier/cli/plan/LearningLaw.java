package io.croupier.cli.plan;

/**
 * Which share of the gain a model misses: of what the best weights gain over no model. At a signal
 * x it is 1 / (1 + x / half); in 9 of 10 cases it is between the shares at x times the factor and
 * at x over the factor.
 *
 * <p>Shares below {@value #LEAST} are not distinguished, nor are those above {@value #MOST}, at
 * which noise may also make a model slightly worse than none.
 *
 * @param half signal at which half of the gain is missed
 * @param factor between problems, at least 1
 */
public record LearningLaw(double half, double factor) {

  /** Of the learner {@code combined}; lab/studies/results/plan.md has the fit. */
  public static final LearningLaw OF_COMBINED = new LearningLaw(22.5, 7.6);

  /** Shares that are fitted are above it. */
  public static final double LEAST = 0.02;

  /** Shares that are fitted are below it. */
  public static final double MOST = 0.95;

  private static final double WORST = 1.05;

  /**
   * The signal of one report: the noiseless gradients that it is worth, over the distance of the
   * best weights for each unit of gain, which is proportional to sqrt(features / gain) for
   * quadratic losses of equal curvatures.
   *
   * @param features d, the number of weights
   * @param gain loss without a model less that of the best weights, above 0
   * @param noise squared error of a report in units of the squared gradient bound
   */
  public static double signal(int features, double gain, double noise) {
    return Math.sqrt(gain / features) / (1 + noise);
  }

  /** The share of the gain that is missed at a signal. */
  public Band missed(double signal) {
    double low = share(signal * factor);
    double high = share(signal / factor);
    return new Band(
        low < LEAST ? 0 : Math.min(MOST, low),
        share(signal),
        high > MOST ? WORST : Math.max(LEAST, high));
  }

  private double share(double signal) {
    return 1 / (1 + signal / half);
  }

  /**
   * The signal at which a share of the gain is missed.
   *
   * @param missed between 0 and 1
   */
  public Band signal(double missed) {
    double signal = half * (1 / missed - 1);
    return new Band(signal / factor, signal, signal * factor);
  }
}
