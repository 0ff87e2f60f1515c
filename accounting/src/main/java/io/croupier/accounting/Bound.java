package io.croupier.accounting;

/** The ways in which {@link Spends} bounds an epsilon; each is sound alone. */
public enum Bound {
  /**
   * The sum of the pure epsilons, plus the epsilon of all the rest at delta: exact for Gaussian
   * mechanisms, by zero-concentrated DP if a rho is among them.
   */
  BASIC("basic composition"),

  /** All as Gaussian DP, pure reports by their tight mu. Not for mechanisms known by a rho only. */
  GAUSSIAN("Gaussian DP"),

  /** All as zero-concentrated DP, each pure report by the lesser of epsilon and its rho. */
  ZERO_CONCENTRATED("zero-concentrated DP"),

  /** The {@link RenyiCurve} on its fixed orders. */
  RENYI("Renyi DP"),

  /**
   * {@link ExactComposition}, for parameters fixed beforehand. Not for mechanisms known by a rho
   * only, nor for lists too long and diverse.
   */
  EXACT("exact composition");

  private final String label;

  Bound(String label) {
    this.label = label;
  }

  /** As it is to be printed. */
  public String label() {
    return label;
  }
}
