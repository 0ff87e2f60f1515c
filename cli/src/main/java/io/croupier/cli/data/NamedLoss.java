package io.croupier.cli.data;

import io.croupier.client.loss.AbsoluteLoss;
import io.croupier.client.loss.HuberLoss;
import io.croupier.client.loss.LogisticLoss;
import io.croupier.client.loss.PredictionLoss;
import io.croupier.client.loss.SoftmaxLoss;
import io.croupier.client.loss.SquaredLoss;
import java.util.Locale;

/** Losses, as options name them. */
public enum NamedLoss {
  /** Cross-entropy of the log odds; targets are 0 or 1. */
  LOGISTIC,
  /** Cross-entropy of the softmax of k scores; targets are 0 to k - 1. */
  SOFTMAX,
  /** Half the square of the residual. */
  SQUARED,
  /** The absolute value of the residual. */
  ABSOLUTE,
  /** Huber's loss with Mallows weights: no gradient is longer than the model's bound. */
  HUBER_MALLOWS;

  /** Huber's constant, with 95 % of the efficiency of least squares for normal residuals. */
  static final double HUBER_C = 1.345;

  /**
   * The problem of predicting targets.
   *
   * @param features rows, concatenated; not copied
   * @param targets one for each row; not copied
   * @param classes the number of classes; used only by {@link #SOFTMAX}
   * @param gradientBound the model's G
   * @param scale sigma of the residuals; used only by {@link #HUBER_MALLOWS}
   */
  Problem problem(
      double[] features, double[] targets, int classes, double gradientBound, double scale) {
    double[] weights =
        this == HUBER_MALLOWS
            ? Mallows.weights(features, features.length / targets.length, gradientBound / HUBER_C)
            : Scaling.ones(targets.length);
    return new Problem(features, targets, weights, loss(classes, scale));
  }

  private PredictionLoss loss(int classes, double scale) {
    return switch (this) {
      case LOGISTIC -> new LogisticLoss();
      case SOFTMAX -> new SoftmaxLoss(classes);
      case SQUARED -> new SquaredLoss();
      case ABSOLUTE -> new AbsoluteLoss();
      case HUBER_MALLOWS -> new HuberLoss(HUBER_C, scale);
    };
  }

  /** The name on the command line: {@code huber-mallows}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
