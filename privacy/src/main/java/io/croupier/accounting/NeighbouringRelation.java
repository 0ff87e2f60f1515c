package io.croupier.accounting;

/** The relation between the two data sets that a guarantee makes hard to distinguish. */
public enum NeighbouringRelation {
  /**
   * One user's contributions are replaced by zeros: the relation of the papers on the central
   * model.
   */
  ZERO_OUT(1),
  /** One user's contributions are replaced by others: the relation of the ledgers. */
  REPLACE_ONE(2);

  private final int distances;

  NeighbouringRelation(int distances) {
    this.distances = distances;
  }

  /** Largest distance of neighbours, in clipping norms: the factor of a Gaussian mechanism's mu. */
  public int distances() {
    return distances;
  }
}
