package io.croupier.client.loss;

/** A loss of one prediction {@code <x, w>} against its target, convex in the prediction. */
public sealed interface PointLoss extends PredictionLoss
    permits LogisticLoss, HingeLoss, HuberLoss, PinballLoss, SquaredLoss, AbsoluteLoss {

  /** The value of the loss. */
  double value(double prediction, double target);

  /** The derivative with respect to the prediction. */
  double slope(double prediction, double target);

  /** The second derivative with respect to the prediction. */
  double curvature(double prediction, double target);

  @Override
  default int predictions() {
    return 1;
  }

  @Override
  default double value(double[] predictions, double target) {
    return value(predictions[0], target);
  }

  @Override
  default double[] slopes(double[] predictions, double target) {
    return new double[] {slope(predictions[0], target)};
  }

  @Override
  default double curvature(double[] predictions, double target, int c, int e) {
    return curvature(predictions[0], target);
  }

  @Override
  default int classes() {
    return 0;
  }

  @Override
  default boolean isRight(double[] predictions, double target) {
    if (classes() == 0) {
      throw new UnsupportedOperationException("a number is neither right nor wrong");
    }
    return predictions[0] > 0 == target > 0.5;
  }
}
