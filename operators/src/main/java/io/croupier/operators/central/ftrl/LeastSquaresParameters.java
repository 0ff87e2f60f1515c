package io.croupier.operators.central.ftrl;

import io.croupier.operators.learner.MagnitudeLearner;
import java.io.Serializable;

/**
 * What {@link LeastSquaresFtrl} has to be told of its weights.
 *
 * @param lambda weight of the regulariser lambda/2 ||theta - theta_0||^2, 0 to {@link
 *     MagnitudeLearner#LIMIT}
 * @param radius of the ball around 0 that the weights are kept in, positive and at most {@link
 *     MagnitudeLearner#LIMIT}; there has to be one: noise can make the objective unbounded below
 */
public record LeastSquaresParameters(double lambda, double radius) implements Serializable {

  public LeastSquaresParameters {
    if (!(lambda >= 0 && lambda <= MagnitudeLearner.LIMIT)) {
      throw new IllegalArgumentException(
          "dp_ftrl_least_squares.lambda is "
              + lambda
              + "; it has to be 0 to "
              + MagnitudeLearner.LIMIT);
    }
    if (!(radius > 0 && radius <= MagnitudeLearner.LIMIT)) {
      throw new IllegalArgumentException(
          "dp_ftrl_least_squares.radius is "
              + radius
              + "; it has to be positive and at most "
              + MagnitudeLearner.LIMIT);
    }
  }
}
