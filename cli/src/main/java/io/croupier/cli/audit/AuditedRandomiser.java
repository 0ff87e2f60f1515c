package io.croupier.cli.audit;

import io.croupier.client.randomiser.Calibration;
import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import java.util.Locale;

/** The randomisers that can be audited. */
enum AuditedRandomiser {
  /** Its releases are no points of a grid: {@link CandidateAudit} audits it. */
  PRIV_UNIT(PrivacyDefinition.EPSILON) {
    @Override
    GridRandomiser create(double gradientBound, int dimension, int gridExponent, double level) {
      throw new IllegalArgumentException("priv-unit has no grid");
    }
  },

  L2_LAPLACE(PrivacyDefinition.EPSILON) {
    @Override
    GridRandomiser create(double gradientBound, int dimension, int gridExponent, double level) {
      return new L2LaplaceRandomiser(gradientBound, dimension, gridExponent, level);
    }
  },

  /** Clips to L2 norm and uses equal taus, whose L2 norm is the level. */
  COORDINATE_LAPLACE(PrivacyDefinition.EPSILON) {
    @Override
    GridRandomiser create(double gradientBound, int dimension, int gridExponent, double level) {
      return new Calibration(gradientBound, dimension, gridExponent, 1).coordinateLaplace(level);
    }
  },

  GAUSSIAN(PrivacyDefinition.MU) {
    @Override
    GridRandomiser create(double gradientBound, int dimension, int gridExponent, double level) {
      return new GaussianRandomiser(gradientBound, dimension, gridExponent, level);
    }
  };

  private final PrivacyDefinition guarantee;

  AuditedRandomiser(PrivacyDefinition guarantee) {
    this.guarantee = guarantee;
  }

  /** The privacy definition of the level. */
  PrivacyDefinition guarantee() {
    return guarantee;
  }

  /**
   * Makes a new randomiser with its own generator.
   *
   * @param dimension at least 1
   * @param level of the guarantee
   * @throws IllegalArgumentException if an argument is out of range, or the noise doesn't fit the
   *     grid
   */
  abstract GridRandomiser create(
      double gradientBound, int dimension, int gridExponent, double level);

  /** The name on the command line: {@code l2-laplace}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
