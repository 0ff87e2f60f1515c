package io.croupier.cli.report;

import io.croupier.client.ModelSnapshot;
import io.croupier.client.randomiser.BitRandomiser;
import io.croupier.client.randomiser.Randomiser;
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
  private final Predicate<Question> answerable;
  private final Predicate<Question> truth;

  /**
   * A gradient alone: if a question is asked about its round, nothing is reported.
   *
   * @param model the model that receives the report
   * @param round the published round at whose weights the gradient was evaluated
   * @param gradient shape [d]; not copied
   */
  EvaluatedGradient(ModelSnapshot model, long round, double[] gradient) {
    this(
        model,
        round,
        () -> gradient,
        question -> false,
        question -> {
          throw new IllegalArgumentException("a gradient answers no question");
        });
  }

  /**
   * A gradient at the newest weights, or the answer to a question about the newest average.
   *
   * @param gradient evaluates the gradient, shape [d]
   * @param answerable whether the data can answer a question; doesn't depend on its values
   * @param truth evaluates a question that it can answer
   */
  EvaluatedGradient(
      ModelSnapshot model,
      Supplier<double[]> gradient,
      Predicate<Question> answerable,
      Predicate<Question> truth) {
    this(model, model.round(), gradient, answerable, truth);
  }

  private EvaluatedGradient(
      ModelSnapshot model,
      long round,
      Supplier<double[]> gradient,
      Predicate<Question> answerable,
      Predicate<Question> truth) {
    this.model = model;
    this.round = round;
    this.gradient = gradient;
    this.answerable = answerable;
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

  /**
   * What randomises the answer to a question at the cost of a gradient. Empty if none is asked, or
   * this device doesn't answer it: the data can't, or its reports don't disclose their level. Then
   * a report of the gradient decides whether the device is chosen.
   *
   * @param asked the question that this device is asked, if any
   * @param randomiser the randomiser of gradients
   */
  Optional<BitRandomiser> bits(Optional<Question> asked, Randomiser randomiser) {
    return asked.filter(answerable).flatMap(question -> BitRandomiser.costing(randomiser.cost()));
  }

  /** Returns the true answer to a question; only where {@link #bits} is not empty. */
  boolean answer(Question question) {
    return truth.test(question);
  }
}
