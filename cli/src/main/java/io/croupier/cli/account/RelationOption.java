package io.croupier.cli.account;

import io.croupier.accounting.NeighbouringRelation;
import java.util.Locale;

/** Which two sets of people's data nobody shall be able to tell apart, as options name it. */
enum RelationOption {
  /** As in the paper of the central model. */
  ZERO_OUT(NeighbouringRelation.ZERO_OUT, "one person's contributions are replaced by zeros"),
  /** As in the ledgers. */
  REPLACE_ONE(NeighbouringRelation.REPLACE_ONE, "one person's data are replaced by another's");

  private final NeighbouringRelation neighbours;
  private final String meaning;

  RelationOption(NeighbouringRelation neighbours, String meaning) {
    this.neighbours = neighbours;
    this.meaning = meaning;
  }

  NeighbouringRelation neighbours() {
    return neighbours;
  }

  /** What is done to get from one set to the other. */
  String meaning() {
    return meaning;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
