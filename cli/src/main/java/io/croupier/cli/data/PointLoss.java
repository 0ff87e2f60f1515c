package io.croupier.cli.data;

/** A loss of one prediction {@code <x, w>} against its target, convex in the prediction. */
public sealed interface PointLoss permits LogisticLoss, HuberLoss, SquaredLoss, AbsoluteLoss {

  /** The value of the loss. */
  double value(double prediction, double target);

  /** The derivative with respect to the prediction. */
  double slope(double prediction, double target);

  /** The second derivative with respect to the prediction. */
  double curvature(double prediction, double target);

  /** The supremum of the absolute slope; may be infinite. */
  double steepest();
}
