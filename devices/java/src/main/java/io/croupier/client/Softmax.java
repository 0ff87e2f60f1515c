package io.croupier.client;

import io.croupier.client.loss.PortableMath;

/**
 * A linear model of k classes: the weights of a model of dimension k d are k vectors of d weights,
 * one after the other. The class c has the score {@code <w_c, x>}, and by the softmax of all scores
 * its probability.
 *
 * <p>The loss, the cross-entropy {@code log sum_c exp(s_c) - s_y} of the scores s and the true
 * class y, is convex in the weights. Its gradient is no longer than {@code sqrt(2) ||x||}. Scores
 * are exact up to the rounding of a sum of d products; loss, probabilities and gradients are finite
 * for scores up to 1e300.
 *
 * <p>For two classes, the logistic loss with d weights needs half of the weights, and less noise.
 */
public final class Softmax {

  private Softmax() {}

  /**
   * Returns the scores of the classes.
   *
   * @param weights shape [k d]
   * @param x the features, shape [d]
   * @return shape [k]
   * @throws IllegalArgumentException if the weights aren't those of at least two classes
   */
  public static double[] scores(double[] weights, double[] x) {
    if (x.length == 0 || weights.length % x.length != 0 || weights.length < 2 * x.length) {
      throw new IllegalArgumentException(
          String.format(
              "there are %d weights and %d features: there must be as many weights for each of at least two classes as features",
              weights.length, x.length));
    }
    double[] scores = new double[weights.length / x.length];
    for (int c = 0; c < scores.length; c++) {
      for (int j = 0; j < x.length; j++) {
        scores[c] += weights[c * x.length + j] * x[j];
      }
    }
    return scores;
  }

  /**
   * Returns the probabilities of the classes.
   *
   * @param scores of the classes, shape [k]
   * @return shape [k]
   */
  public static double[] probabilities(double[] scores) {
    double highest = scores[predicted(scores)];
    double[] probabilities = new double[scores.length];
    double sum = 0;
    for (int c = 0; c < scores.length; c++) {
      probabilities[c] = PortableMath.exp(scores[c] - highest);
      sum += probabilities[c];
    }
    for (int c = 0; c < scores.length; c++) {
      probabilities[c] /= sum;
    }
    return probabilities;
  }

  /**
   * Returns the loss.
   *
   * @param scores of the classes, shape [k]
   * @param label the true class, from 0
   */
  public static double loss(double[] scores, int label) {
    // log sum exp(s_c) - s_y without overflow, and without cancellation where the true class has
    // the highest score: that term of the sum is 1.
    int predicted = predicted(scores);
    double others = 0;
    for (int c = 0; c < scores.length; c++) {
      others += c == predicted ? 0 : PortableMath.exp(scores[c] - scores[predicted]);
    }
    return scores[predicted] - scores[label] + PortableMath.log1p(others);
  }

  /**
   * Returns the gradient of the loss.
   *
   * @param weights shape [k d]
   * @param x the features, shape [d]
   * @param label the true class, from 0
   * @return shape [k d]
   */
  public static double[] gradient(double[] weights, double[] x, int label) {
    double[] slopes = slopes(scores(weights, x), label);
    double[] gradient = new double[weights.length];
    for (int c = 0; c < slopes.length; c++) {
      for (int j = 0; j < x.length; j++) {
        gradient[c * x.length + j] = slopes[c] * x[j];
      }
    }
    return gradient;
  }

  /**
   * Returns the derivatives of the loss with respect to the scores: the probabilities, less 1 for
   * the true class.
   *
   * @param scores of the classes, shape [k]
   * @param label the true class, from 0
   * @return shape [k]
   */
  public static double[] slopes(double[] scores, int label) {
    double[] slopes = probabilities(scores);
    // The sum of the others, since 1 - p would cancel.
    double others = 0;
    for (int c = 0; c < slopes.length; c++) {
      others += c == label ? 0 : slopes[c];
    }
    slopes[label] = -others;
    return slopes;
  }

  /**
   * Returns the class of the highest score, the first one of several.
   *
   * @param scores of the classes, shape [k]
   */
  public static int predicted(double[] scores) {
    int predicted = 0;
    for (int c = 1; c < scores.length; c++) {
      predicted = scores[c] > scores[predicted] ? c : predicted;
    }
    return predicted;
  }
}
