package io.croupier.operators.central.ftrl;

import io.croupier.operators.learner.MagnitudeLearner;
import java.io.Serializable;

/**
 * The parameters of {@link Ftrl}.
 *
 * @param learningRate 1 / lambda, positive and finite, in units of weights per gradient
 * @param momentum gamma, at least 0 and below 1; 0 for none
 * @param radius radius of the ball around 0 that contains the weights, positive; infinite for none
 * @param l1 lambda_1, the penalty per round and unit of the weights' L1 norm; 0 for none
 */
public record FtrlParameters(double learningRate, double momentum, double radius, double l1)
    implements Serializable {

  public FtrlParameters {
    if (!(learningRate > 0) || Double.isInfinite(learningRate)) {
      throw new IllegalArgumentException(
          "dp_ftrl.learning_rate is " + learningRate + "; it has to be positive and finite");
    }
    if (!(momentum >= 0 && momentum < 1)) {
      throw new IllegalArgumentException(
          "dp_ftrl.momentum is " + momentum + "; it has to be at least 0 and below 1");
    }
    if (!(radius > 0)) {
      throw new IllegalArgumentException("dp_ftrl.radius is " + radius + "; it has to be positive");
    }
    if (!(l1 >= 0 && l1 <= MagnitudeLearner.LIMIT)) {
      throw new IllegalArgumentException(
          "dp_ftrl.l1 is " + l1 + "; it has to be 0 to " + MagnitudeLearner.LIMIT);
    }
  }
}
