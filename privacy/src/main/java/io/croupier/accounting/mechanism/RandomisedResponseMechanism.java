package io.croupier.accounting.mechanism;

import io.croupier.accounting.DiscreteGaussian;
import io.croupier.accounting.ResponseLaw;

/**
 * One bit that is inverted with a probability: the answer to a question. It is no gradient, so
 * nothing is known of the noise of one.
 *
 * @param level epsilon in nats, or mu; positive and finite
 * @param isMu whether the level is a mu
 */
public record RandomisedResponseMechanism(double level, boolean isMu) implements Mechanism {
  private static final String NAME = "randomised_response";

  /**
   * @throws InvalidMechanismException if the level is out of range
   */
  public RandomisedResponseMechanism {
    InvalidMechanismException.requirePositive(NAME, isMu ? "mu" : "epsilon", level);
  }

  /** The law of the bit. */
  public ResponseLaw law() {
    return isMu ? ResponseLaw.ofMu(level) : ResponseLaw.ofEpsilon(level);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Cost cost() {
    return isMu ? Cost.ofMu(level) : Cost.ofEpsilon(level);
  }

  /**
   * An answer of a level mu is exactly mu-GDP, without a total variation, but the filter must
   * reserve for the variation of later reports.
   */
  @Override
  public Cost cost(GradientSpace space) {
    double sensitivity = Math.scalb(2 * space.gradientBound(), -space.gridExponent());
    return isMu
        ? cost().varied(0, DiscreteGaussian.variation(space.dimension(), sensitivity))
        : cost();
  }
}
