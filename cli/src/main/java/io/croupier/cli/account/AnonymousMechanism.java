package io.croupier.cli.account;

import io.croupier.accounting.CategoryLaw;
import io.croupier.accounting.PureLoss;
import io.croupier.accounting.ResponseLaw;
import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.cli.NoiseMechanism;
import java.util.Locale;

/** The mechanisms of anonymous reports, as options name them: all are of pure epsilon. */
enum AnonymousMechanism {
  PRIV_UNIT(NoiseMechanism.PRIV_UNIT),
  L2_LAPLACE(NoiseMechanism.L2_LAPLACE),
  COORDINATE_LAPLACE(NoiseMechanism.COORDINATE_LAPLACE),
  RANDOMISED_RESPONSE(null),
  HASHED_RESPONSE(null);

  /** Null for answers and votes. */
  private final NoiseMechanism noise;

  AnonymousMechanism(NoiseMechanism noise) {
    this.noise = noise;
  }

  /** Whether it releases gradients, which have a dimension. */
  boolean isOfGradients() {
    return noise != null;
  }

  /** Whether it releases categories. */
  boolean isOfCategories() {
    return this == HASHED_RESPONSE;
  }

  /**
   * Whether several reports of a person in one window compose: those of a choice of candidates,
   * whose pair dominates whatever is between them. The bound of other mechanisms holds for windows
   * that follow each other.
   */
  boolean mayRepeat() {
    return this == PRIV_UNIT || noise == null;
  }

  /**
   * The loss of one report.
   *
   * @param size of what is reported: dimension of a gradient, or number of categories
   */
  PureLoss loss(int size, double epsilon) {
    if (isOfCategories()) {
      return HashedResponseMechanism.of(epsilon, size).cost().loss();
    }
    return noise == null ? PureLoss.ofEpsilon(epsilon) : noise.loss(size, epsilon);
  }

  /**
   * The squared error of one report, in units of the squared gradient bound or of an answer; of a
   * category's fraction, if all are the same.
   */
  double squaredError(int size, double epsilon) {
    if (isOfCategories()) {
      int groups = HashedResponseMechanism.of(epsilon, size).groups();
      boolean isHashed = HashedResponseMechanism.isHashed(epsilon, size);
      CategoryLaw law = CategoryLaw.of(epsilon, groups, isHashed);
      return law.variance(1.0 / size) / law.strength() / law.strength();
    }
    if (noise == null) {
      double strength = ResponseLaw.ofEpsilon(epsilon).strength();
      return 1 / (strength * strength) - 1;
    }
    return noise.of(size, epsilon).squaredError(new GradientSpace(size, 1, 0));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
