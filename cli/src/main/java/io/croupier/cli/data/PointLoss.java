package io.croupier.cli.data;

/** A loss of one prediction {@code <x, w>} against its target, convex in the prediction. */
public sealed interface PointLoss permits LogisticLoss, HuberLoss, SquaredLoss, AbsoluteLoss {

  /** The loss. */
  double value(double prediction, double target);

  /** Its derivative in the prediction. */
  double slope(double prediction, double target);

  /** Its second derivative in the prediction. */
  double curvature(double prediction, double target);

  /** The largest absolute slope; Infinity if there is none. */
  double steepest();
}
