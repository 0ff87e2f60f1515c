package io.croupier.operators.report;

import io.croupier.accounting.mechanism.Mechanism;

/**
 * What a report contains besides its header and its declaration, in a class for each kind: how it
 * is read, what a model refuses of it, and what the learner receives. {@link ViewReader} lists the
 * kinds. No {@code toString} quotes a value.
 */
public sealed interface Content permits Gradient, Counted, TokenContent {

  /** Returns why a model doesn't take such a report, whatever it declares; empty if it does. */
  String objection(ReportTerms terms);

  /** Returns the field of a report in which a model looks for what it doesn't take. */
  default String field() {
    return "gradient";
  }

  /** Returns why a model that takes it doesn't with this declaration; empty if it does. */
  default String objectionTo(Mechanism mechanism, ReportTerms terms) {
    return "";
  }
}
