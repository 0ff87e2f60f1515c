package io.croupier.cli.data;

/** The absolute loss {@code |p - y|}; its slope where p = y, any of [-1, 1], is taken to be 0. */
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
