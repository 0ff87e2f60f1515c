package io.croupier.cli.report;

import io.croupier.client.RoundTerms;

/** The one report of a person in a round of a model of statistics alone, without a gradient. */
final class SingleVote implements Gradients {
  private final RoundTerms terms;
  private boolean isTaken;

  SingleVote(RoundTerms terms) {
    this.terms = terms;
  }

  @Override
  public EvaluatedGradient next() {
    EvaluatedGradient next = isTaken ? null : new EvaluatedGradient(terms, new double[0], 0);
    isTaken = true;
    return next;
  }

  @Override
  public String place() {
    return "the answer to round " + terms.round();
  }

  @Override
  public String left() {
    return "0 more";
  }

  @Override
  public long size() {
    return 1;
  }
}
