package io.croupier.cli.audit;

import io.croupier.client.randomiser.Calibration;
import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import java.util.Locale;

/** The randomisers that can be audited. */
enum AuditedRandomiser {
  L2_LAPLACE(PrivacyDefinition.EPSILON) {
    @Override
    Randomiser create(double gradientBound, int dimension, int gridExponent, double level) {
      return new L2LaplaceRandomiser(gradientBound, dimension, gridExponent, level);
    }
  },

  /** Of equal taus, whose L2 norm is the level: it clips to that norm. */
  COORDINATE_LAPLACE(PrivacyDefinition.EPSILON) {
    @Override
    Randomiser create(double gradientBound, int dimension, int gridExponent, double level) {
      return new Calibration(gradientBound, dimension, gridExponent, 1).coordinateLaplace(level);
    }
  },

  GAUSSIAN(PrivacyDefinition.MU) {
    @Override
    Randomiser create(double gradientBound, int dimension, int gridExponent, double level) {
      return new GaussianRandomiser(gradientBound, dimension, gridExponent, level);
    }
  };

  private final PrivacyDefinition guarantee;

  AuditedRandomiser(PrivacyDefinition guarantee) {
    this.guarantee = guarantee;
  }

  /** What it promises a level of. */
  PrivacyDefinition guarantee() {
    return guarantee;
  }

  /**
   * A new one, with a generator of its own.
   *
   * @param dimension at least 1
   * @param level of its guarantee
   * @throws IllegalArgumentException if an argument is out of range, or the noise doesn't fit the
   *     grid
   */
  abstract Randomiser create(double gradientBound, int dimension, int gridExponent, double level);

  /** As on the command line: l2-laplace. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
