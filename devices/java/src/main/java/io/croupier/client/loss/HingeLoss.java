package io.croupier.client.loss;

/** The hinge loss {@code max(0, 1 - y p)}, where y is 1 for a target of 1, and -1 for one of 0. */
public record HingeLoss() implements PointLoss {

  @Override
  public double value(double prediction, double target) {
    return Math.max(0, 1 - sign(target) * prediction);
  }

  /** Of the subgradients at y p = 1, it is 0. */
  @Override
  public double slope(double prediction, double target) {
    double sign = sign(target);
    return sign * prediction < 1 ? -sign : 0;
  }

  @Override
  public double curvature(double prediction, double target) {
    return 0;
  }

  @Override
  public double steepest() {
    return 1;
  }

  @Override
  public int classes() {
    return 2;
  }

  private static double sign(double target) {
    return target > 0.5 ? 1 : -1;
  }
}
