package io.croupier.operators.noise;

import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;

/** The gradients that a spec describes. */
public final class SpecGradients {
  private SpecGradients() {}

  /**
   * Returns the gradients of a valid spec.
   *
   * @param laws may be shared with other models, but with no other thread
   */
  public static GradientSpace of(ModelSpec spec, PrivUnitLaws laws) {
    return new GradientSpace(
        spec.getDimension(),
        spec.getGradientBound(),
        ModelSpecs.gridExponent(spec),
        laws,
        NoiseTail::gamma);
  }
}
