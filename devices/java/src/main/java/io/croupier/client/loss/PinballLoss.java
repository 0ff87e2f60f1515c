package io.croupier.client.loss;

/**
 * The pinball loss: {@code level (y - p)} where the target y is above the prediction p, otherwise
 * {@code (1 - level) (p - y)}. Its mean is least at the quantile of the level.
 *
 * @param level above 0, below 1
 */
public record PinballLoss(double level) implements PointLoss {

  @Override
  public double value(double prediction, double target) {
    return slope(prediction, target) * (prediction - target);
  }

  /** Of the subgradients at p = y, it is 0. */
  @Override
  public double slope(double prediction, double target) {
    return target > prediction ? -level : target < prediction ? 1 - level : 0;
  }

  @Override
  public double curvature(double prediction, double target) {
    return 0;
  }

  @Override
  public double steepest() {
    return Math.max(level, 1 - level);
  }
}
