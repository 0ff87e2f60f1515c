package io.croupier.operators.report;

import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;

/**
 * The gradients that a spec describes: of one bound, or with an adaptive clip of the bound that
 * each report states. A model without a learner takes none; one that is sent all the same costs
 * what it would cost a model of one coordinate and the bound 1, as {@code
 * ModelSnapshot.calibration} of the client has it.
 */
public final class SpecGradients {
  private final boolean isMoving;
  private final GradientSpace all;

  /**
   * Creates the gradients of a valid spec.
   *
   * @param laws may be shared with other models, but with no other thread
   */
  public SpecGradients(ModelSpec spec, PrivUnitLaws laws) {
    isMoving = spec.hasAdaptiveClip();
    boolean isFixed = ModelSpecs.hasLearner(spec) && !isMoving;
    double bound = isFixed ? spec.getGradientBound() : 1;
    int exponent = isFixed ? ModelSpecs.gridExponent(spec) : ModelSpecs.gridExponent(bound);
    int dimension = Math.max(1, spec.getDimension());
    all = new GradientSpace(dimension, bound, exponent, laws, NoiseTail::gamma);
  }

  /**
   * Returns the gradients that costs are computed for. A cost depends on no bound but on the number
   * of grid steps in it, from 2^16 to 2^17 with an adaptive clip; the fewest cost most.
   */
  public GradientSpace all() {
    return all;
  }

  /** Returns the gradients of one report; with an adaptive clip, it states its bound. */
  public GradientSpace of(Report report) {
    double bound = report.header().gradientBound();
    return isMoving ? all.withBound(bound, ModelSpecs.gridExponent(bound)) : all;
  }
}
