package io.croupier.client.loss;

/** The squared loss {@code (p - y)^2 / 2}. Its slope is unbounded, so gradients must be clipped. */
public record SquaredLoss() implements PointLoss {

  @Override
  public double value(double prediction, double target) {
    double residual = prediction - target;
    return residual * residual / 2;
  }

  @Override
  public double slope(double prediction, double target) {
    return prediction - target;
  }

  @Override
  public double curvature(double prediction, double target) {
    return 1;
  }

  @Override
  public double steepest() {
    return Double.POSITIVE_INFINITY;
  }
}
