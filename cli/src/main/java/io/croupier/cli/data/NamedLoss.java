package io.croupier.cli.data;

import java.util.Locale;

/** The losses that can be named on the command line. */
public enum NamedLoss {
  /** Cross-entropy of log odds; targets are 0 or 1. */
  LOGISTIC,
  /** Half the square of the residual. */
  SQUARED,
  /** The size of the residual. */
  ABSOLUTE,
  /** Huber's loss, rows far out weighted down: no gradient is longer than the model's bound. */
  HUBER_MALLOWS;

  /** Huber's constant: 95 % of the efficiency of least squares if residuals are normal. */
  static final double HUBER_C = 1.345;

  /** Whether targets are 0 or 1. */
  boolean hasBinaryTargets() {
    return this == LOGISTIC;
  }

  /**
   * The problem of predicting targets.
   *
   * @param features rows, one behind the other; kept
   * @param targets one for each row; kept
   * @param gradientBound the model's G
   * @param scale sigma, of the residuals; only {@link #HUBER_MALLOWS} looks at it
   */
  Problem problem(double[] features, double[] targets, double gradientBound, double scale) {
    double[] weights =
        this == HUBER_MALLOWS
            ? Mallows.weights(features, features.length / targets.length, gradientBound / HUBER_C)
            : Scaling.ones(targets.length);
    return new Problem(features, targets, weights, pointLoss(scale));
  }

  private PointLoss pointLoss(double scale) {
    return switch (this) {
      case LOGISTIC -> new LogisticLoss();
      case SQUARED -> new SquaredLoss();
      case ABSOLUTE -> new AbsoluteLoss();
      case HUBER_MALLOWS -> new HuberLoss(HUBER_C, scale);
    };
  }

  /** As on the command line: huber-mallows. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
