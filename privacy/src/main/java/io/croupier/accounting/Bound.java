package io.croupier.accounting;

/** The ways in which {@link Spends} bounds an epsilon; each is sound alone. */
public enum Bound {
  /**
   * The sum of the pure epsilons, plus the epsilon of all other mechanisms at delta: exact for
   * Gaussian ones, by zero-concentrated DP if one is known only by its rho.
   */
  BASIC("basic composition"),

  /**
   * All mechanisms as Gaussian DP, pure reports by their own mu. Not for mechanisms known only by a
   * rho.
   */
  GAUSSIAN("Gaussian DP"),

  /**
   * All mechanisms as zero-concentrated DP, each pure report by the smaller of epsilon and its rho
   * times the order.
   */
  ZERO_CONCENTRATED("zero-concentrated DP"),

  /** The {@link RenyiCurve} on its fixed orders. */
  RENYI("Renyi DP"),

  /**
   * The distributions of all losses, for parameters fixed in advance: {@link ExactComposition} of
   * randomised responses, otherwise {@link GridComposition}, which is above the exact value by less
   * than 1 %, or the least of the other bounds, but counts Laplace noise on several coordinates as
   * Gaussian noise of its mu. Not for mechanisms known only by a rho.
   */
  EXACT("exact composition");

  private final String label;

  Bound(String label) {
    this.label = label;
  }

  /** The name to print. */
  public String label() {
    return label;
  }
}
