package io.croupier.cli.demo;

import io.croupier.client.randomiser.Calibration;
import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.Gaussian;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.StrongestNoise;
import java.util.Locale;

/** What hides the reports of a demonstration. */
enum DemoMechanism {
  PRIV_UNIT {
    @Override
    PrivUnitRandomiser randomiser(Calibration calibration, DemoParameters parameters) {
      return calibration.privUnit(parameters.epsilon());
    }
  },

  L2_LAPLACE {
    @Override
    Randomiser randomiser(Calibration calibration, DemoParameters parameters) {
      return calibration.l2Laplace(parameters.epsilon());
    }
  },

  /** At the delta of raw reports. */
  GAUSSIAN {
    @Override
    GaussianRandomiser randomiser(Calibration calibration, DemoParameters parameters) {
      return calibration.gaussian(parameters.epsilon(), parameters.delta());
    }
  };

  /**
   * The randomiser of every person.
   *
   * @param calibration of the models, for one report
   * @throws IllegalArgumentException if epsilon is out of range
   */
  abstract Randomiser randomiser(Calibration calibration, DemoParameters parameters);

  /** What BANCO is to accept: the noise of all. */
  StrongestNoise strongest(int dimension, int gridExponent, DemoParameters parameters) {
    Calibration calibration = new Calibration(parameters.clip(), dimension, gridExponent, 1);
    StrongestNoise.Builder strongest = StrongestNoise.newBuilder();
    switch (this) {
      case PRIV_UNIT -> {
        PrivUnitRandomiser noise = calibration.privUnit(parameters.epsilon());
        strongest.setPrivUnit(
            PrivUnit.newBuilder()
                .setEpsilon(noise.law().epsilon())
                .setCandidates(noise.law().candidates())
                .setTop(noise.law().top()));
      }
      case L2_LAPLACE ->
          strongest.setL2Laplace(L2Laplace.newBuilder().setEpsilon(parameters.epsilon()));
      case GAUSSIAN ->
          strongest.setGaussian(
              Gaussian.newBuilder()
                  .setMu(calibration.gaussian(parameters.epsilon(), parameters.delta()).mu()));
    }
    return strongest.build();
  }

  /** Whether a report is epsilon-LDP at delta 0. */
  boolean isPure() {
    return this != GAUSSIAN;
  }

  /** By the name that it has in records: l2_laplace noise. */
  String inWords() {
    String name = name().toLowerCase(Locale.ROOT);
    return this == PRIV_UNIT ? name : name + " noise";
  }

  /** As on the command line: l2-laplace. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
