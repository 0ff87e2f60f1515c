package io.croupier.client.loss;

/**
 * Huber's loss {@code sigma rho_c((y - p) / sigma)}, where rho_c(r) is r^2/2 up to |r| = c and
 * grows linearly from there.
 *
 * @param c residual from which on the loss is linear, in units of sigma
 * @param sigma known scale of the residuals
 */
public record HuberLoss(double c, double sigma) implements PointLoss {

  @Override
  public double value(double prediction, double target) {
    double residual = Math.abs(prediction - target) / sigma;
    return sigma * (residual <= c ? residual * residual / 2 : c * (residual - c / 2));
  }

  @Override
  public double slope(double prediction, double target) {
    return Math.max(-c, Math.min(c, (prediction - target) / sigma));
  }

  @Override
  public double curvature(double prediction, double target) {
    return Math.abs(prediction - target) <= c * sigma ? 1 / sigma : 0;
  }

  @Override
  public double steepest() {
    return c;
  }
}
