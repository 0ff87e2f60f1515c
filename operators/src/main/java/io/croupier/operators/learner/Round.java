package io.croupier.operators.learner;

import java.util.Arrays;

/**
 * What a learner observes of one closed round. Reused from round to round by its owner.
 *
 * <p>A round is dense, or sparse: it then lists the coordinates that its reports touched, and the
 * subgradient is 0 everywhere else. A learner may ignore the list.
 */
public final class Round {
  private static final int DENSE = -1;

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

  private int[] touched = {};
  private int touchedCount = DENSE;

  /** A dense round of zeros. */
  public Round(int dimension) {
    subgradient = new double[dimension];
  }

  /** Whether {@link #touched} lists every coordinate that may differ from 0. */
  public boolean isSparse() {
    return touchedCount != DENSE;
  }

  /** How many coordinates a sparse round lists. */
  public int touchedCount() {
    return touchedCount;
  }

  /** The {@code i}-th of them; none occurs twice. */
  public int touched(int i) {
    return touched[i];
  }

  /** Makes the round dense: the caller overwrites the whole subgradient. */
  public void dense() {
    touchedCount = DENSE;
  }

  /**
   * Makes the round sparse and the subgradient 0, at the cost of what the last round touched: the
   * caller writes the listed coordinates.
   *
   * @param coordinates distinct; kept, not copied
   * @param count how many of them, from the first one on, are listed
   */
  public void sparse(int[] coordinates, int count) {
    if (isSparse()) {
      for (int i = 0; i < touchedCount; i++) {
        subgradient[touched[i]] = 0;
      }
    } else {
      Arrays.fill(subgradient, 0);
    }
    touched = coordinates;
    touchedCount = count;
  }
}
