package io.croupier.cli.audit;

import io.croupier.cli.InputException;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import picocli.CommandLine.Option;

/** What both audits need to know beside the declared noise. */
final class ClaimOptions {
  @Option(
      names = "--gradient-bound",
      paramLabel = "G",
      defaultValue = "1",
      description =
          "Bound on the norm of gradients, and the length of g and h (default: ${DEFAULT-VALUE}).")
  double gradientBound;

  @Option(
      names = "--grid-exponent",
      paramLabel = "E",
      description = "Releases on a grid are multiples of 2^E (default: floor(log2 G) - 16).")
  Integer gridExponent;

  @Option(
      names = "--confidence",
      paramLabel = "P",
      defaultValue = "0.999999",
      description = {
        "Probability, at least, with which a true guarantee is not refuted (default:"
            + " ${DEFAULT-VALUE})."
      })
  private double confidence;

  /** Returns the probability, at most, with which a true guarantee is refuted. */
  double falseAlarm() {
    if (!(confidence >= 0.5 && confidence <= 1 - 1e-12)) {
      throw new InputException(
          "--confidence is %s; it must be from 0.5 to 1 - 1e-12".formatted(confidence));
    }
    return 1 - confidence;
  }

  /** Returns E, of the spec with this gradient bound if it isn't given. */
  int exponent() {
    return gridExponent != null
        ? gridExponent
        : ModelSpecs.gridExponent(ModelSpec.newBuilder().setGradientBound(gradientBound).build());
  }
}
