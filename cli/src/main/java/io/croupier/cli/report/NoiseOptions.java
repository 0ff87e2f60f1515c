package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import java.math.BigDecimal;
import java.util.Arrays;
import picocli.CommandLine.Option;

/** The options that say what noise hides the gradients. */
final class NoiseOptions {

  @Option(
      names = "--mechanism",
      paramLabel = "NAME",
      required = true,
      description = "The noise: ${COMPLETION-CANDIDATES}.")
  private Mechanism mechanism;

  @Option(
      names = "--epsilon",
      paramLabel = "E",
      description = {
        "What a report of l2-laplace or coordinate-laplace spends, in nats; the latter splits it"
            + " evenly."
      })
  private Double epsilon;

  @Option(
      names = "--taus",
      paramLabel = "TAU,...",
      split = ",",
      description = "What a report of coordinate-laplace spends on each coordinate, instead.")
  private double[] taus;

  @Option(
      names = "--mu",
      paramLabel = "M",
      description = "What a report of gaussian spends: mu-GDP.")
  private Double mu;

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
    return switch (mechanism) {
      case L2_LAPLACE -> {
        requireOnly("--epsilon", epsilon, taus, mu);
        yield new L2LaplaceRandomiser(bound, d, exponent, epsilon);
      }
      case COORDINATE_LAPLACE -> {
        requireOnly("--epsilon or --taus", epsilon == null ? taus : epsilon, mu, both());
        yield new CoordinateLaplaceRandomiser(bound, exponent, taus == null ? split(d) : taus(d));
      }
      case GAUSSIAN -> {
        requireOnly("--mu", mu, epsilon, taus);
        yield new GaussianRandomiser(bound, d, exponent, mu);
      }
    };
  }

  private Object both() {
    return epsilon == null ? null : taus;
  }

  private void requireOnly(String options, Object level, Object... others) {
    if (level == null || Arrays.stream(others).anyMatch(other -> other != null)) {
      throw new InputException(
          "--mechanism %s takes %s, and no other level".formatted(mechanism, options));
    }
  }

  private double[] taus(int dimension) {
    if (taus.length != dimension) {
      throw new InputException(
          "--taus has %d values; the model has %d coordinates".formatted(taus.length, dimension));
    }
    return taus;
  }

  /** Equal parts, as decimals, that come to no more than epsilon. */
  private double[] split(int dimension) {
    if (!(epsilon > 0 && epsilon <= Double.MAX_VALUE)) {
      throw new InputException(
          "--epsilon is %s; it must be positive and finite".formatted(epsilon));
    }
    BigDecimal most = BigDecimal.valueOf(epsilon);
    BigDecimal parts = BigDecimal.valueOf(dimension);
    double part = epsilon / dimension;
    while (BigDecimal.valueOf(part).multiply(parts).compareTo(most) > 0) {
      part = Math.nextDown(part);
    }
    double[] split = new double[dimension];
    Arrays.fill(split, part);
    return split;
  }
}
