package io.croupier.operators.learner;

import java.util.Arrays;

/**
 * What a learner observes of one closed round. Its owner reuses it from round to round.
 *
 * <p>A round is dense or sparse. A sparse round lists the coordinates that its reports touched, and
 * the subgradient is 0 everywhere else. A learner may ignore the list.
 */
public final class Round {
  private static final int DENSE = -1;

  /**
   * Mean of the reports' noisy subgradients, shape [d]; divided by the gradient bound for learners
   * that count in units of it. Learners must not change it.
   */
  public final double[] subgradient;

  /** Squared L2 norm of {@link #subgradient}. */
  public double squaredNorm;

  /**
   * Mean over the reports of the inner product of a report's subgradient and the direction of the
   * round that the report names, in the unit of {@link #subgradient}; 0 for learners that don't
   * bet.
   */
  public double coin;

  /** G, the bound on the norm of the subgradients without noise; positive. */
  public double gradientBound;

  /** Number of its reports, at least 1. */
  public int reports = 1;

  /** Sub-exponential variance of the mean along one direction: sum over the reports / count^2. */
  public double directionalVariance;

  private int[] touched = {};
  private int touchedCount = DENSE;

  /** Creates a dense round of zeros. */
  public Round(int dimension) {
    subgradient = new double[dimension];
  }

  /** Returns whether {@link #touched} lists every coordinate that may differ from 0. */
  public boolean isSparse() {
    return touchedCount != DENSE;
  }

  /** Returns how many coordinates a sparse round lists. */
  public int touchedCount() {
    return touchedCount;
  }

  /** Returns the {@code i}-th listed coordinate; none occurs twice. */
  public int touched(int i) {
    return touched[i];
  }

  /** Makes the round dense: the caller overwrites the whole subgradient. */
  public void dense() {
    touchedCount = DENSE;
  }

  /**
   * Makes the round sparse and the subgradient 0, at a cost proportional to the coordinates that
   * the last round touched; the caller then writes the listed coordinates.
   *
   * @param coordinates distinct; kept, not copied
   * @param count how many of them are listed, from the first one on
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
