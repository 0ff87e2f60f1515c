package io.croupier.cli.account;

import io.croupier.accounting.NeighbouringRelation;
import java.util.Locale;

/** Neighbouring relations, as options name them. */
enum RelationOption {
  /** The relation of Kairouz et al. 2021. */
  ZERO_OUT(NeighbouringRelation.ZERO_OUT, "one person's contributions are replaced by zeros"),
  /** The relation of reports and ledgers. */
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

  /** How two neighbouring data sets differ, as a clause. */
  String meaning() {
    return meaning;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
