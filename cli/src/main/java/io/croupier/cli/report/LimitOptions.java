package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.client.ledger.Limit;
import picocli.CommandLine.Option;

/** The options that say what a person is willing to spend. */
final class LimitOptions {

  @Option(
      names = "--limit-epsilon",
      paramLabel = "E",
      description = {
        "The epsilons in the ledger may add up to this; gaussian noise is refused then, unless"
            + " --limit-mu allows it."
      })
  private Double epsilon;

  @Option(
      names = "--limit-mu",
      paramLabel = "M",
      description = {
        "The root of the sum of mu^2 in the ledger may come to this; other noise is refused then,"
            + " unless --limit-epsilon allows it."
      })
  private Double mu;

  @Option(
      names = "--limit-reports",
      paramLabel = "N",
      description = "So many reports there may be in the ledger.")
  private Long reports;

  /**
   * What they come to; no limit if there are none.
   *
   * @throws InputException if one is negative
   */
  Limit limit() {
    try {
      return new Limit(
          orElse(epsilon, mu), orElse(mu, epsilon), reports == null ? Long.MAX_VALUE : reports);
    } catch (IllegalArgumentException e) {
      throw new InputException("The limit's " + e.getMessage(), e);
    }
  }

  /** What isn't limited is nothing if the other one is, else without end. */
  private static double orElse(Double limit, Double other) {
    return limit != null ? limit : other != null ? 0 : Double.POSITIVE_INFINITY;
  }
}
