package io.croupier.operators.learner;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a learner publishes. Reused from publication to publication by its owner. */
public final class Iterate {
  /** Steps taken so far. */
  public long round;

  /** Where the next gradients are to be evaluated, shape [d]. */
  public final double[] weights;

  /** What to predict with, shape [d]. */
  public final double[] average;

  /** Scalars by name, in the order in which they are to be shown. */
  public final Map<String, Double> diagnostics = new LinkedHashMap<>();

  public Iterate(int dimension) {
    weights = new double[dimension];
    average = new double[dimension];
  }
}
