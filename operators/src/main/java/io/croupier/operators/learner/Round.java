package io.croupier.operators.learner;

/** What a learner observes of one closed round. Reused from round to round by its owner. */
public final class Round {
  /** Mean of the reports' noisy subgradients, shape [d]. Learners read it and leave it as it is. */
  public final double[] subgradient;

  /** Squared L2 norm of {@link #subgradient}. */
  public double squaredNorm;

  /**
   * Mean over the reports of the inner product of subgradient and the direction of the round that
   * the report names; 0 for learners that don't bet.
   */
  public double coin;

  /** Sub-exponential variance of the mean along one direction: sum over the reports / count^2. */
  public double directionalVariance;

  public Round(int dimension) {
    subgradient = new double[dimension];
  }
}
