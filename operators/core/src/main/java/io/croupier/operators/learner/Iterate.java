package io.croupier.operators.learner;

import java.util.LinkedHashMap;
import java.util.Map;

/** The output of a learner at a publication. Its owner reuses it. */
public final class Iterate {
  /** Steps taken so far. */
  public long round;

  /** The weights at which the next gradients are evaluated, shape [d]. */
  public final double[] weights;

  /** The weights to predict with, shape [d]. */
  public final double[] average;

  /** Scalars by name, in display order. */
  public final Map<String, Double> diagnostics = new LinkedHashMap<>();

  public Iterate(int dimension) {
    weights = new double[dimension];
    average = new double[dimension];
  }
}
