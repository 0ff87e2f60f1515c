package io.croupier.cli.data;

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
    double product = -probabilities[c] * probabilities[e];
    return c == e ? probabilities[c] + product : product;
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
