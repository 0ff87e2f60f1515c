package io.croupier.client.loss;

import io.croupier.client.Softmax;

/**
 * The cross-entropy of the softmax of k scores and a class from 0 to k - 1. Finite wherever the
 * scores are.
 *
 * @param classes the number k of classes, at least 2
 */
public record SoftmaxLoss(int classes) implements PredictionLoss {

  @Override
  public int predictions() {
    return classes;
  }

  @Override
  public double value(double[] scores, double label) {
    return Softmax.loss(scores, (int) label);
  }

  @Override
  public double[] slopes(double[] scores, double label) {
    return Softmax.slopes(scores, (int) label);
  }

  @Override
  public double curvature(double[] scores, double label, int c, int e) {
    double[] probabilities = Softmax.probabilities(scores);
    if (c != e) {
      return -probabilities[c] * probabilities[e];
    }
    // 1 - p as the sum of the others, since it would cancel.
    double others = 0;
    for (int other = 0; other < classes; other++) {
      others += other == c ? 0 : probabilities[other];
    }
    return probabilities[c] * others;
  }

  /** Of probability 0 for the true class, and 1 for another. */
  @Override
  public double steepest() {
    return Math.sqrt(2);
  }

  @Override
  public boolean isRight(double[] scores, double label) {
    return Softmax.predicted(scores) == (int) label;
  }
}
