package io.croupier.cli.account;

import io.croupier.accounting.PureLoss;
import io.croupier.accounting.ResponseLaw;
import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.cli.NoiseMechanism;
import java.util.Locale;

/** The mechanisms of anonymous reports, as options name them: all are of pure epsilon. */
enum AnonymousMechanism {
  PRIV_UNIT(NoiseMechanism.PRIV_UNIT),
  L2_LAPLACE(NoiseMechanism.L2_LAPLACE),
  COORDINATE_LAPLACE(NoiseMechanism.COORDINATE_LAPLACE),
  RANDOMISED_RESPONSE(null);

  /** Null for answers to questions. */
  private final NoiseMechanism noise;

  AnonymousMechanism(NoiseMechanism noise) {
    this.noise = noise;
  }

  /** Whether it releases gradients, which have a dimension. */
  boolean isOfGradients() {
    return noise != null;
  }

  /**
   * Whether several reports of a person in one window compose: those of a choice of candidates,
   * whose pair dominates whatever is between them. The bound of other mechanisms holds for windows
   * that follow each other.
   */
  boolean mayRepeat() {
    return this == PRIV_UNIT || this == RANDOMISED_RESPONSE;
  }

  /** The loss of one report. */
  PureLoss loss(int dimension, double epsilon) {
    return noise == null ? PureLoss.ofEpsilon(epsilon) : noise.loss(dimension, epsilon);
  }

  /** The squared error of one report, in units of the squared gradient bound or of an answer. */
  double squaredError(int dimension, double epsilon) {
    if (noise == null) {
      double strength = ResponseLaw.ofEpsilon(epsilon).strength();
      return 1 / (strength * strength) - 1;
    }
    return noise.of(dimension, epsilon).squaredError(new GradientSpace(dimension, 1, 0));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
