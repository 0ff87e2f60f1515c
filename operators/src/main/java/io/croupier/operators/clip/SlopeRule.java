package io.croupier.operators.clip;

import io.croupier.operators.math.Vectors;

/**
 * The share s of the slope bound that a round announces, for logistic losses: the slope of a person
 * whom the model predicts falsely by p is 1 / (1 + exp(-p)), so half of the bound suffices at the
 * initial weights, and halves the noise, until the weights have moved.
 *
 * <pre>
 *   s = 1 / (1 + exp(-b))
 * </pre>
 *
 * <p>b = |w| X is the largest prediction, at the weights w of the round, for features of norm X: no
 * slope of a person with such features is steeper, so the rule biases nothing for them. Where noise
 * dominates, the adaptive radius keeps the weights small, so s stays near 1/2. X is the clip over
 * the slope bound of the round before, and so somewhat too small until the clip has followed a
 * bound that rises.
 *
 * <p>Source: our own; docs/studies/clip.md has results. The slope at b / 2 or b / 4 has still less
 * noise, but biases the model where features point in the direction of the weights. Relative error
 * at most 1e-15; equal on all platforms.
 */
public final class SlopeRule {
  private SlopeRule() {}

  /**
   * Returns s for a round, from 1/2 to 1.
   *
   * @param weights w of the round, shape [d]
   * @param clip quantile of the products of the slope bound and the norm of the features; positive
   * @param slopeBound of the round before, positive
   */
  public static double share(double[] weights, double clip, double slopeBound) {
    double norm = Math.sqrt(Vectors.squaredNorm(weights));
    return share(norm == 0 ? 0 : norm * clip / slopeBound);
  }

  /**
   * Returns s, from 1/2 to 1.
   *
   * @param largestPrediction b, at least 0, possibly infinite
   * @throws IllegalArgumentException if it isn't
   */
  public static double share(double largestPrediction) {
    if (!(largestPrediction >= 0)) {
      throw new IllegalArgumentException(
          "the largest prediction is " + largestPrediction + "; it must be at least 0");
    }
    return 1 / (1 + StrictMath.exp(-largestPrediction));
  }
}
