package io.croupier.cli.report;

import io.croupier.client.ModelSnapshot;
import io.croupier.schemas.Question;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A gradient to report, or the answer to a question instead of it. Neither is evaluated before it
 * is needed.
 */
final class EvaluatedGradient {
  private final ModelSnapshot model;
  private final long round;
  private final Supplier<double[]> gradient;
  private final Optional<Predicate<Question>> truth;

  /**
   * A gradient alone: if a question is asked about its round, nothing is reported.
   *
   * @param model the model that receives the report
   * @param round the published round at whose weights the gradient was evaluated
   * @param gradient shape [d]; not copied
   */
  EvaluatedGradient(ModelSnapshot model, long round, double[] gradient) {
    this(model, round, () -> gradient, Optional.empty());
  }

  /**
   * A gradient at the newest weights, or the answer to a question about the newest average.
   *
   * @param gradient evaluates the gradient, shape [d]
   * @param truth evaluates a question
   */
  EvaluatedGradient(ModelSnapshot model, Supplier<double[]> gradient, Predicate<Question> truth) {
    this(model, model.round(), gradient, Optional.of(truth));
  }

  private EvaluatedGradient(
      ModelSnapshot model,
      long round,
      Supplier<double[]> gradient,
      Optional<Predicate<Question>> truth) {
    this.model = model;
    this.round = round;
    this.gradient = gradient;
    this.truth = truth;
  }

  ModelSnapshot model() {
    return model;
  }

  long round() {
    return round;
  }

  double[] gradient() {
    return gradient.get();
  }

  /** What evaluates a question; empty if only the gradient is known. */
  Optional<Predicate<Question>> truth() {
    return truth;
  }
}
