package io.croupier.accounting.mechanism;

import io.croupier.accounting.PureLoss;

/**
 * Noise of density proportional to exp(-(epsilon / 2G) ||z||), on gradients clipped to L2 norm G.
 *
 * @param epsilon in nats, positive and finite
 * @param dimension d of the noise, on which the cost depends; 0 if it is unknown
 */
public record L2LaplaceMechanism(double epsilon, int dimension) implements Mechanism {
  private static final String NAME = "l2_laplace";

  /**
   * @throws InvalidMechanismException if epsilon is out of range
   * @throws IllegalArgumentException if the dimension is negative
   */
  public L2LaplaceMechanism {
    InvalidMechanismException.requirePositive(NAME, "epsilon", epsilon);
    if (dimension < 0) {
      throw new IllegalArgumentException(
          "dimension is " + dimension + "; it must be at least 1, or 0 if it is unknown");
    }
  }

  /** The mechanism in an unknown dimension. */
  public L2LaplaceMechanism(double epsilon) {
    this(epsilon, 0);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public double level() {
    return epsilon;
  }

  @Override
  public Cost cost() {
    return Cost.ofLoss(PureLoss.ofRadial(epsilon, dimension));
  }

  @Override
  public double pole(GradientSpace space) {
    return 1 / scale(space);
  }

  /** Along any direction the moment generating function is (1 - k^2)^(-(d+1)/2), k = scale beta. */
  @Override
  public double directionalVariance(GradientSpace space, double range) {
    double scale = scale(space);
    return (space.dimension() + 1.0) * scale * scale * LaplaceGrowth.at(scale * range);
  }

  /** The length of the noise is Gamma of shape d. */
  @Override
  public double longest(GradientSpace space) {
    return space.longest(space.gammaTail(space.dimension()), epsilon);
  }

  @Override
  public double squaredError(GradientSpace space) {
    double d = space.dimension();
    return 4 * d * (d + 1) / (epsilon * epsilon);
  }

  private double scale(GradientSpace space) {
    return 2 * space.gradientBound() / epsilon;
  }
}
