package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.randomiser.Calibration;
import io.croupier.client.randomiser.ClippingNorm;
import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import java.util.Arrays;
import java.util.Objects;
import picocli.CommandLine.Option;

/** The options that say what noise hides the gradients. */
final class NoiseOptions {

  @Option(
      names = "--mechanism",
      paramLabel = "NAME",
      required = true,
      description = "The noise: ${COMPLETION-CANDIDATES}.")
  private NoiseMechanism mechanism;

  @Option(
      names = "--epsilon",
      paramLabel = "E",
      description = {
        "What a report of l2-laplace or coordinate-laplace spends, in nats; the latter has D equal"
            + " taus, E / sqrt(D) with --clip L2 and E / D with COORDINATES. Of gaussian: with"
            + " --delta."
      })
  private Double epsilon;

  @Option(
      names = "--delta",
      paramLabel = "D",
      description = "With --epsilon: gaussian noise that is (E, D)-DP.")
  private Double delta;

  @Option(
      names = "--taus",
      paramLabel = "TAU,...",
      split = ",",
      description = {
        "The taus of coordinate-laplace, instead. With --clip COORDINATES a report spends each on its"
            + " coordinate, and their sum on the person; Infinity: not private. With L2 it spends"
            + " their L2 norm on the person, nothing is promised for one coordinate, and all are"
            + " finite."
      })
  private double[] taus;

  @Option(
      names = "--mu",
      paramLabel = "M",
      description = "What a report of gaussian spends: mu-GDP.")
  private Double mu;

  @Option(
      names = "--share",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "--epsilon, --delta and --mu are for N reports together, in equal shares that are rounded"
            + " down. Default: ${DEFAULT-VALUE}."
      })
  private int share;

  @Option(
      names = "--clip",
      paramLabel = "NORM",
      description = {
        "To what norm coordinate-laplace clips gradients: ${COMPLETION-CANDIDATES}. L2 is right for"
            + " every learner; COORDINATES for coordinate-wise ones (BANCO refuses it). Default: L2."
      })
  private ClippingNorm clip;

  @Option(
      names = "--undisclosed",
      description = {
        "The reports say nothing of their noise. Only the ledger knows then what was spent;"
            + " learners that must know the noise refuse such reports, which are spent all the same."
      })
  private boolean undisclosed;

  /**
   * The randomiser for a model's gradients.
   *
   * @throws InputException if a level is missing, not the mechanism's, or out of range
   */
  Randomiser randomiser(ModelSnapshot model) {
    try {
      Randomiser noise = disclosing(model);
      return undisclosed ? new UndisclosedRandomiser(noise) : noise;
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
  }

  private Randomiser disclosing(ModelSnapshot model) {
    double bound = model.gradientBound();
    int d = model.dimension();
    int exponent = model.gridExponent();
    Calibration calibration = new Calibration(bound, d, exponent, share);
    require(clip == null || mechanism == NoiseMechanism.COORDINATE_LAPLACE, "no --clip");
    return switch (mechanism) {
      case L2_LAPLACE -> {
        require(epsilon != null && allNull(taus, mu, delta), "--epsilon, and no other level");
        yield calibration.l2Laplace(epsilon);
      }
      case COORDINATE_LAPLACE -> {
        require(
            (epsilon != null && allNull(taus, mu, delta))
                || (taus != null && allNull(epsilon, mu, delta)),
            "either --epsilon or --taus, and no other level");
        require(taus == null || share == 1, "no --share with --taus, which are for one report");
        ClippingNorm norm = clip == null ? ClippingNorm.L2 : clip;
        yield taus == null
            ? calibration.coordinateLaplace(epsilon, norm)
            : new CoordinateLaplaceRandomiser(bound, exponent, taus(d), norm);
      }
      case GAUSSIAN -> {
        require(
            (mu != null && allNull(epsilon, delta, taus))
                || (epsilon != null && delta != null && allNull(mu, taus)),
            "either --mu, or --epsilon and --delta, and no other level");
        yield mu == null ? calibration.gaussian(epsilon, delta) : calibration.gaussian(mu);
      }
    };
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
