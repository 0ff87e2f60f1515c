package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.client.ledger.Limit;
import picocli.CommandLine.Option;

/** Options that limit what a person spends. */
final class LimitOptions {

  @Option(
      names = "--limit-epsilon",
      paramLabel = "E",
      description = {
        "Limits the sum of the epsilons in the ledger. Gaussian noise is then refused, unless"
            + " --limit-mu is given, too."
      })
  private Double epsilon;

  @Option(
      names = "--limit-mu",
      paramLabel = "M",
      description = {
        "Limits sqrt(sum of mu^2) over the Gaussian reports in the ledger. Other noise is then"
            + " refused, unless --limit-epsilon is given, too."
      })
  private Double mu;

  @Option(
      names = "--limit-reports",
      paramLabel = "N",
      description = "Limits the number of reports in the ledger.")
  private Long reports;

  @Option(
      names = "--limit-answers",
      paramLabel = "SHARE",
      defaultValue = "1",
      description =
          "Share of the limits up to which questions are answered, also while the model searches"
              + " its clip; the rest is for gradients (default: ${DEFAULT-VALUE}).")
  private double answers;

  /**
   * The limit that the options state; no limit if none is given.
   *
   * @param isGaussian whether the noise of all reports is Gaussian
   * @throws InputException if an option is negative, the share is above 1, or no limit allows such
   *     noise
   */
  Limit limit(boolean isGaussian) {
    if (isGaussian && epsilon != null && mu == null) {
      throw new InputException("--limit-epsilon allows no Gaussian noise; add --limit-mu");
    }
    if (!isGaussian && mu != null && epsilon == null) {
      throw new InputException("--limit-mu allows Gaussian noise only; add --limit-epsilon");
    }
    try {
      return new Limit(
          orElse(epsilon, mu),
          orElse(mu, epsilon),
          reports == null ? Long.MAX_VALUE : reports,
          answers);
    } catch (IllegalArgumentException e) {
      throw new InputException("--limit-" + e.getMessage(), e);
    }
  }

  /** Without {@code limit}: 0 if {@code other} is limited, else infinite. */
  private static double orElse(Double limit, Double other) {
    return limit != null ? limit : other != null ? 0 : Double.POSITIVE_INFINITY;
  }
}
