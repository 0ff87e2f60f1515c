package io.croupier.bench.speed;

import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.Gaussian;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.StrongestNoise;

/** The form of the gradients in reports, with the noise that they declare; the bound is 1. */
enum ReportForm {
  /** Gaussian noise of mu 1, as multiples of the default grid step. */
  GRID {
    @Override
    Randomiser randomiser(int dimension) {
      return new GaussianRandomiser(1, dimension, GRID_EXPONENT, MU);
    }

    @Override
    StrongestNoise noise(int dimension) {
      return StrongestNoise.newBuilder().setGaussian(Gaussian.newBuilder().setMu(MU)).build();
    }
  },

  /** A seed and an index of priv_unit at epsilon 1, with 256 candidates. */
  CANDIDATE {
    @Override
    PrivUnitRandomiser randomiser(int dimension) {
      return new PrivUnitRandomiser(1, dimension, EPSILON);
    }

    @Override
    StrongestNoise noise(int dimension) {
      PrivUnitRandomiser randomiser = randomiser(dimension);
      return StrongestNoise.newBuilder()
          .setPrivUnit(
              PrivUnit.newBuilder()
                  .setEpsilon(randomiser.law().epsilon())
                  .setCandidates(randomiser.law().candidates())
                  .setTop(randomiser.law().top()))
          .build();
    }
  };

  private static final double MU = 1;
  private static final double EPSILON = 1;

  /** The default for a gradient bound of 1. */
  private static final int GRID_EXPONENT = -16;

  /** Makes the reports' releases. */
  abstract Randomiser randomiser(int dimension);

  /** The noise of every report, as BANCO needs it in the spec. */
  abstract StrongestNoise noise(int dimension);
}
