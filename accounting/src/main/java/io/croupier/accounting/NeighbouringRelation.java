package io.croupier.accounting;

/** Which two data sets nobody shall be able to tell apart. */
public enum NeighbouringRelation {
  /** One user's contributions are replaced by zeros: the papers' of the central model. */
  ZERO_OUT(1),
  /** One user's contributions are replaced by another's: that of the ledgers. */
  REPLACE_ONE(2);

  private final int distances;

  NeighbouringRelation(int distances) {
    this.distances = distances;
  }

  /**
   * How far apart neighbours may be, in clipping norms: what a Gaussian mechanism's mu takes on.
   */
  public int distances() {
    return distances;
  }
}
