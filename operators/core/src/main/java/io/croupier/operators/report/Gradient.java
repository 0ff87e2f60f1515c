package io.croupier.operators.report;

/** What a learner steps by. */
public sealed interface Gradient extends Content
    permits VectorContent, ExampleContent, CandidateContent {

  /** Returns the name of the kind in messages. */
  String name();

  /** Returns the number of coordinates of the whole vector. */
  int dimension();

  @Override
  default String objection(ReportTerms terms) {
    if (!terms.hasLearner()) {
      return "gradient is %s: it must be a vote or an answer, since the model has no learner"
          .formatted(name());
    }
    if (this instanceof ExampleContent != terms.takesExamples()) {
      return terms.takesExamples()
          ? "gradient is " + name() + ": for least squares it must be an example"
          : "gradient is an example: for this learner it must be dense, grid, sparse or candidate";
    }
    return dimension() == terms.spec().getDimension()
        ? ""
        : "the vector has dimension "
            + dimension()
            + ": it must have the model's, "
            + terms.spec().getDimension();
  }
}
