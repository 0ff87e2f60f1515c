package io.croupier.operators.central.ftrl;

import io.croupier.operators.learner.MagnitudeLearner;
import java.io.Serializable;

/**
 * The parameters of {@link LeastSquaresFtrl}.
 *
 * @param lambda weight of the regulariser lambda/2 ||theta - theta_0||^2, 0 to {@link
 *     MagnitudeLearner#LIMIT}
 * @param radius radius of the ball around 0 that contains the weights, positive and at most {@link
 *     MagnitudeLearner#LIMIT}; it is required, since noise can make the objective unbounded below
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
