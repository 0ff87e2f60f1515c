package io.croupier.operators.model;

/** A publication that reports may name. */
final class Publication {
  final long round;

  /** The gradient bound of its round, if the model's clip moves; 0: that of the spec. */
  double gradientBound;

  /** Whether a report has named the publication. */
  boolean answered;

  Publication(long round) {
    this.round = round;
  }
}
