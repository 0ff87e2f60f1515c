package io.croupier.accounting.mechanism;

/**
 * What a report declares of its noise: the parameters, and everything that follows from them. A
 * valid object has valid parameters: constructors throw {@link InvalidMechanismException}.
 *
 * <p>Without an override nothing is known of the noise: BANCO refuses it, and any length is
 * plausible. Quantities that depend on the model take its {@link GradientSpace}. Implementations
 * are immutable.
 */
public sealed interface Mechanism
    permits CentralNoise,
        CoordinateLaplaceMechanism,
        GaussianMechanism,
        HashedResponseMechanism,
        L2LaplaceMechanism,
        PrivUnitMechanism,
        RandomisedResponseMechanism,
        UndisclosedNoise {

  /** The name of its field in records, such as {@code l2_laplace}. */
  String name();

  /** The epsilon or mu that the report declares; 0 if it declares no single level. */
  default double level() {
    return 0;
  }

  /** What a report costs its sender, whatever the model. */
  Cost cost();

  /** What a report to a model costs its sender; at least {@link #cost()}. */
  default Cost cost(GradientSpace space) {
    return cost();
  }

  /** Whether the guarantee covers which coordinates a sparse vector names. */
  default boolean hidesSparsity() {
    return false;
  }

  /** Why no model of this space accepts such a report, in words; empty if it may be accepted. */
  default String objection(GradientSpace space) {
    return "";
  }

  /**
   * The largest beta up to which the moment generating function of the noise is finite along every
   * direction, in units of 1 / gradient; 0 if nothing is known of the noise.
   */
  default double pole(GradientSpace space) {
    return 0;
  }

  /**
   * Sub-exponential variance of the noise along one direction: the least known sigma1^2 with E
   * exp(beta &lt;noise, a&gt;) &lt;= exp(beta^2 sigma1^2 / 2) for every unit vector a and |beta|
   * &lt;= range; infinite if there is no such bound.
   *
   * @param range in units of 1 / gradient, positive
   */
  default double directionalVariance(GradientSpace space, double range) {
    return Double.POSITIVE_INFINITY;
  }

  /**
   * A length that an honest report exceeds with probability at most 2^-40; infinite if nothing is
   * known of its length.
   */
  default double longest(GradientSpace space) {
    return Double.POSITIVE_INFINITY;
  }

  /**
   * The largest E||release - g||^2 over gradients g, in units of G^2, before rounding to the grid;
   * infinite if it isn't known. A learner weighs reports by it.
   */
  default double squaredError(GradientSpace space) {
    return Double.POSITIVE_INFINITY;
  }
}
