package io.croupier.operators.learner;

import io.croupier.operators.math.Vectors;
import java.io.Serializable;

/** The weights of round 0, zero unless given. Immutable. */
public final class InitialWeights implements Serializable {
  private final int dimension;

  /** Empty if all weights are zero. */
  private final double[] values;

  private InitialWeights(int dimension, double[] values) {
    this.dimension = dimension;
    this.values = values;
  }

  /** Returns zero weights in {@code dimension} coordinates. */
  public static InitialWeights zero(int dimension) {
    if (dimension < 1) {
      throw new IllegalArgumentException("dimension is " + dimension + "; it has to be at least 1");
    }
    return new InitialWeights(dimension, new double[0]);
  }

  /** Returns weights that copy {@code values}, shape [d]. */
  public static InitialWeights of(double[] values) {
    for (int i = 0; i < values.length; i++) {
      if (!Double.isFinite(values[i])) {
        throw new IllegalArgumentException(
            "initial_weights[" + i + "] is " + values[i] + "; it has to be finite");
      }
    }
    return new InitialWeights(zero(values.length).dimension, values.clone());
  }

  /** Returns the number of coordinates d. */
  public int dimension() {
    return dimension;
  }

  /** Adds them to {@code weights}, shape [d]. */
  public void addTo(double[] weights) {
    Vectors.add(values, weights);
  }
}
