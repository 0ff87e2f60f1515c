package io.croupier.cli;

import io.croupier.accounting.PureLoss;
import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.client.randomiser.Calibration;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.GradientReport;
import java.nio.DoubleBuffer;
import java.util.Arrays;
import java.util.Locale;

/** The mechanisms that commands apply to reports, as options name them. */
public enum NoiseMechanism {
  PRIV_UNIT(true) {
    /** The largest epsilon is 16, which satisfies every larger one. */
    @Override
    public Mechanism of(int dimension, double level) {
      double epsilon = Math.min(level, PrivUnitLaw.MOST_EPSILON);
      return PrivUnitMechanism.of(
          new PrivUnitLaws().best(dimension, epsilon, PrivUnitLaw.defaultCandidates(epsilon)));
    }

    @Override
    public Randomiser randomiser(Calibration calibration, double level) {
      return calibration.privUnit(level);
    }
  },

  L2_LAPLACE(true) {
    @Override
    public Mechanism of(int dimension, double level) {
      return new L2LaplaceMechanism(level, dimension);
    }

    @Override
    public Randomiser randomiser(Calibration calibration, double level) {
      return calibration.l2Laplace(level);
    }
  },

  /** Clips to L2 norm and uses equal taus, whose L2 norm is the level. */
  COORDINATE_LAPLACE(true) {
    @Override
    public Mechanism of(int dimension, double level) {
      double[] taus = new double[dimension];
      Arrays.fill(taus, level / Math.sqrt(dimension));
      return new CoordinateLaplaceMechanism(DoubleBuffer.wrap(taus), DeclaredClip.L2, 0);
    }

    /** Without taus, which may be many: they count as slightly fewer than there are. */
    @Override
    public PureLoss loss(int dimension, double level) {
      return PureLoss.ofCoordinates(level, Math.max(1, dimension * (1 - 0x1p-20)));
    }

    @Override
    public Randomiser randomiser(Calibration calibration, double level) {
      return calibration.coordinateLaplace(level);
    }
  },

  GAUSSIAN(false) {
    @Override
    public Mechanism of(int dimension, double level) {
      return new GaussianMechanism(level);
    }

    @Override
    public Randomiser randomiser(Calibration calibration, double level) {
      return calibration.gaussian(level);
    }

    @Override
    public Randomiser randomiser(Calibration calibration, double epsilon, double delta) {
      return calibration.gaussian(epsilon, delta);
    }
  };

  private final boolean isPure;

  NoiseMechanism(boolean isPure) {
    this.isPure = isPure;
  }

  /** Whether a report is epsilon-LDP at delta 0, and its level an epsilon; otherwise it is a mu. */
  public boolean isPure() {
    return isPure;
  }

  /**
   * The mechanism of a level.
   *
   * @throws IllegalArgumentException if the level is out of range
   */
  public abstract Mechanism of(int dimension, double level);

  /** The loss of a pure mechanism of a level, as a default device applies it. */
  public PureLoss loss(int dimension, double level) {
    return of(dimension, level).cost().loss();
  }

  /**
   * Makes a new randomiser with its own generator.
   *
   * @param level that all reports of the calibration share
   * @throws IllegalArgumentException if the level is out of range, or the noise doesn't fit the
   *     grid
   */
  public abstract Randomiser randomiser(Calibration calibration, double level);

  /**
   * The same for an epsilon at a delta; pure mechanisms ignore the delta.
   *
   * @throws IllegalArgumentException as {@link #randomiser(Calibration, double)}
   */
  public Randomiser randomiser(Calibration calibration, double epsilon, double delta) {
    return randomiser(calibration, epsilon);
  }

  /** The name in records: {@code l2_laplace}. */
  public String recordName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The name in JSON: {@code l2Laplace}. */
  public String jsonName() {
    return GradientReport.getDescriptor().findFieldByName(recordName()).getJsonName();
  }

  /** The name on the command line: {@code l2-laplace}. */
  @Override
  public String toString() {
    return recordName().replace('_', '-');
  }
}
