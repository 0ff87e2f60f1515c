package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.cli.NoiseMechanism;
import io.croupier.cli.account.OptionChecks;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.randomiser.Calibration;
import io.croupier.client.randomiser.ClippingNorm;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import java.util.Arrays;
import java.util.Objects;
import picocli.CommandLine.Option;

/** Options that select the noise of reports. */
final class NoiseOptions {

  @Option(
      names = "--mechanism",
      paramLabel = "NAME",
      defaultValue = "priv-unit",
      description = {
        "Noise mechanism: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}, close to the least"
            + " noise that pure local privacy allows)."
      })
  private NoiseMechanism mechanism;

  @Option(
      names = "--epsilon",
      paramLabel = "E",
      description = {
        "Epsilon that a report spends, in nats; for gaussian, --delta is required, too. In d"
            + " dimensions, coordinate-laplace uses d equal taus, E / sqrt(d) with --clip L2 and"
            + " E / d with COORDINATES."
      })
  private Double epsilon;

  @Option(
      names = "--delta",
      paramLabel = "D",
      description = "With --epsilon and gaussian: each report is (E, D)-differentially private.")
  private Double delta;

  @Option(
      names = "--taus",
      paramLabel = "TAU",
      split = ",",
      description = {
        "The taus of coordinate-laplace, one for each coordinate, instead of --epsilon. With --clip"
            + " COORDINATES, a report spends each tau on its coordinate and their sum on the"
            + " person; Infinity marks a coordinate that is not private. With --clip L2, a"
            + " report spends their L2 norm on the person, has no guarantee for single"
            + " coordinates, and all taus must be finite."
      })
  private double[] taus;

  @Option(
      names = "--mu",
      paramLabel = "M",
      description = "Mu that a report of gaussian spends (mu-GDP).")
  private Double mu;

  @Option(
      names = "--share",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "Divides --epsilon, --delta and --mu among N reports, in equal shares that are rounded down"
            + " (default: ${DEFAULT-VALUE})."
      })
  private int share;

  @Option(
      names = "--clip",
      paramLabel = "NORM",
      description = {
        "Norm to which coordinate-laplace clips gradients: ${COMPLETION-CANDIDATES}. L2 suits every"
            + " learner, COORDINATES only coordinate-wise ones; BANCO refuses it (default: L2)."
      })
  private ClippingNorm clip;

  @Option(
      names = "--undisclosed",
      description = {
        "Sends reports that don't declare their noise; not with priv-unit. Only the ledger file"
            + " then records the spend. Models whose learner requires declared noise refuse such"
            + " reports, which are spent nevertheless. Questions of the model are not answered,"
            + " since an answer always declares its level: rounds that ask one count as not chosen."
      })
  private boolean undisclosed;

  /** Whether the noise is Gaussian. */
  boolean isGaussian() {
    return mechanism == NoiseMechanism.GAUSSIAN;
  }

  /**
   * The randomiser for the gradients of a model.
   *
   * @throws InputException if a level is missing, doesn't belong to the mechanism, or is out of
   *     range
   */
  Randomiser randomiser(ModelSnapshot model) {
    try {
      Randomiser noise = disclosing(model);
      if (!undisclosed) {
        return noise;
      }
      if (noise instanceof GridRandomiser onGrid) {
        return new UndisclosedRandomiser(onGrid);
      }
      throw new InputException(
          "--mechanism %s takes no --undisclosed: its reports have a form and a length of their own"
              .formatted(mechanism));
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
  }

  private Randomiser disclosing(ModelSnapshot model) {
    OptionChecks.atLeast("--share", share, 1);
    int d = model.dimension();
    Calibration calibration = model.calibration(share);
    require(
        clip != ClippingNorm.COORDINATES || model.size().isEmpty(),
        "--clip L2 for a model whose clip moves");
    require(clip == null || mechanism == NoiseMechanism.COORDINATE_LAPLACE, "no --clip");
    if (mechanism == NoiseMechanism.COORDINATE_LAPLACE) {
      require(
          (epsilon != null && allNull(taus, mu, delta))
              || (taus != null && allNull(epsilon, mu, delta)),
          "either --epsilon or --taus, and no other level");
      require(taus == null || share == 1, "no --share with --taus, which are for one report");
      ClippingNorm norm = clip == null ? ClippingNorm.L2 : clip;
      return taus == null
          ? calibration.coordinateLaplace(epsilon, norm)
          : calibration.ofTaus(taus(d), norm);
    }
    if (mechanism.isPure()) {
      if (allNull(epsilon, taus, mu, delta)) {
        throw new InputException(
            "--epsilon is missing: the privacy level of a report by --mechanism %s"
                .formatted(mechanism));
      }
      require(epsilon != null && allNull(taus, mu, delta), "--epsilon, and no other level");
      return mechanism.randomiser(calibration, epsilon);
    }
    require(
        (mu != null && allNull(epsilon, delta, taus))
            || (epsilon != null && delta != null && allNull(mu, taus)),
        "either --mu, or --epsilon and --delta, and no other level");
    return mu == null
        ? mechanism.randomiser(calibration, epsilon, delta)
        : mechanism.randomiser(calibration, mu);
  }

  private static boolean allNull(Object... levels) {
    return Arrays.stream(levels).allMatch(Objects::isNull);
  }

  private void require(boolean condition, String wanted) {
    if (!condition) {
      throw new InputException("--mechanism %s takes %s".formatted(mechanism, wanted));
    }
  }

  private double[] taus(int dimension) {
    if (taus.length != dimension) {
      throw new InputException(
          "--taus has %d values; the model has %d coordinates".formatted(taus.length, dimension));
    }
    return taus;
  }
}
