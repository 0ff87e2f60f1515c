package io.croupier.client.loss;

import io.croupier.schemas.Prediction;
import io.croupier.schemas.PredictionRules;

/**
 * A loss of the k predictions {@code <x, w_c>} of one person against a target, convex in them. Most
 * losses have one prediction: {@link PointLoss}.
 */
public sealed interface PredictionLoss permits PointLoss, SoftmaxLoss {

  /**
   * The loss that a spec names.
   *
   * @throws IllegalArgumentException if it is none that this version knows
   */
  static PredictionLoss of(Prediction prediction) {
    return switch (prediction.getLossCase()) {
      case LOGISTIC -> new LogisticLoss();
      case SOFTMAX -> new SoftmaxLoss(PredictionRules.predictions(prediction));
      case SQUARED -> new SquaredLoss();
      case PINBALL -> new PinballLoss(prediction.getPinball().getLevel());
      case HINGE -> new HingeLoss();
      case LOSS_NOT_SET -> throw new IllegalArgumentException(PredictionRules.inWords(prediction));
    };
  }

  /** The number k of predictions. */
  int predictions();

  /** The value of the loss. */
  double value(double[] predictions, double target);

  /**
   * The derivatives with respect to the predictions.
   *
   * @return shape [k]
   */
  double[] slopes(double[] predictions, double target);

  /** The second derivative with respect to the predictions c and e. */
  double curvature(double[] predictions, double target, int c, int e);

  /** The supremum of the norm of the slopes; may be infinite. */
  double steepest();

  /** The number of classes that targets are of; 0 if they are numbers. */
  int classes();

  /** Whether predictions of classes are right. */
  boolean isRight(double[] predictions, double target);
}
