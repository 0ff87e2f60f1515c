package io.croupier.client.loss;

/** The absolute loss {@code |p - y|}; of the subgradients [-1, 1] at p = y, the slope is 0. */
public record AbsoluteLoss() implements PointLoss {

  @Override
  public double value(double prediction, double target) {
    return Math.abs(prediction - target);
  }

  @Override
  public double slope(double prediction, double target) {
    return Math.signum(prediction - target);
  }

  @Override
  public double curvature(double prediction, double target) {
    return 0;
  }

  @Override
  public double steepest() {
    return 1;
  }
}
