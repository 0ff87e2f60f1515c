package io.croupier.operators.clip;

import io.croupier.operators.math.Vectors;

/**
 * The share s of the slope bound that a round announces, for logistic losses: the slope of a person
 * whom the model predicts falsely by p is 1 / (1 + exp(-p)), so half of the bound suffices at the
 * initial weights, and halves the noise, until the weights have moved.
 *
 * <pre>
 *   s = 1 / (1 + exp(-pi b))
 * </pre>
 *
 * <p>b = |w| X is the largest prediction, at the weights w of the round, for features of norm X. pi
 * is the precision of a report: 1 without noise, and the mean weight 1 / M of the reports of the
 * newest round with it, M the second moment of a report in units of its bound. Without noise, no
 * slope of a person with such features is steeper than s of the bound, so the rule biases nothing
 * for them. With it, people whom the model predicts falsely by more than pi b have their gradients
 * shortened: a bias, where each report is mostly noise, that costs less than the noise it saves. X
 * is the clip over the slope bound of the round before, and so somewhat too small until the clip
 * has followed a bound that rises.
 *
 * <p>Source: our own, chosen by simulation; lab/studies/results/clip.md has results. Relative error
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
   * @param precision pi of the reports, above 0 and at most 1
   */
  public static double share(double[] weights, double clip, double slopeBound, double precision) {
    double norm = Math.sqrt(Vectors.squaredNorm(weights));
    return share(norm == 0 ? 0 : norm * precision * clip / slopeBound);
  }

  /**
   * Returns s, from 1/2 to 1.
   *
   * @param falsePrediction pi b, at least 0, possibly infinite
   * @throws IllegalArgumentException if it isn't
   */
  public static double share(double falsePrediction) {
    if (!(falsePrediction >= 0)) {
      throw new IllegalArgumentException(
          "the false prediction is " + falsePrediction + "; it must be at least 0");
    }
    return 1 / (1 + StrictMath.exp(-falsePrediction));
  }
}
