package io.croupier.accounting.mechanism;

import io.croupier.accounting.DiscreteGaussian;

/**
 * Noise N(0, (2G / mu)^2 I), or its discrete form on the model's grid, on gradients clipped to L2
 * norm G.
 *
 * @param mu positive and finite
 */
public record GaussianMechanism(double mu) implements Mechanism {
  private static final String NAME = "gaussian";

  /**
   * @throws InvalidMechanismException if mu is out of range
   */
  public GaussianMechanism {
    InvalidMechanismException.requirePositive(NAME, "mu", mu);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public double level() {
    return mu;
  }

  @Override
  public Cost cost() {
    return Cost.ofMu(mu);
  }

  /** Adds the total variation between noise on the model's grid and the continuous law of mu. */
  @Override
  public Cost cost(GradientSpace space) {
    double sensitivity = Math.scalb(2 * space.gradientBound(), -space.gridExponent());
    double deviation = Math.max(1, sensitivity / mu);
    int d = space.dimension();
    return cost()
        .varied(
            DiscreteGaussian.variation(d, deviation), DiscreteGaussian.variation(d, sensitivity));
  }

  @Override
  public double pole(GradientSpace space) {
    return Double.POSITIVE_INFINITY;
  }

  @Override
  public double directionalVariance(GradientSpace space, double range) {
    double scale = 2 * space.gradientBound() / mu;
    return scale * scale;
  }

  /** Half the squared length of the noise is Gamma of shape d / 2. */
  @Override
  public double longest(GradientSpace space) {
    return space.longest(Math.sqrt(2 * space.gammaTail(space.dimension() / 2.0)), mu);
  }

  @Override
  public double squaredError(GradientSpace space) {
    return 4.0 * space.dimension() / (mu * mu);
  }
}
