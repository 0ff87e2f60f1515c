package io.croupier.cli.report;

import io.croupier.client.RoundTerms;
import io.croupier.client.Sizes;
import io.croupier.client.randomiser.BitRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.Question;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A gradient to report, or the answer to a question, or about its size, instead of it. None is
 * evaluated before it is needed.
 */
final class EvaluatedGradient {
  private final RoundTerms terms;
  private final Supplier<double[]> gradient;
  private final DoubleSupplier size;
  private final Predicate<Question> answerable;
  private final Predicate<Question> truth;

  /** Null before it is needed. */
  private double[] evaluated;

  /**
   * A gradient and its size: if a question about the average is asked, nothing is reported.
   *
   * @param terms of the published round at whose weights the gradient was evaluated
   * @param gradient shape [d]; not copied
   * @param size of the gradient, as a moving clip bounds it
   */
  EvaluatedGradient(RoundTerms terms, double[] gradient, double size) {
    this.terms = terms;
    this.gradient = () -> gradient;
    this.size = () -> size;
    answerable = question -> false;
    truth =
        question -> {
          throw new IllegalArgumentException("a gradient answers no question");
        };
  }

  /**
   * A gradient at published weights, or the answer to a question about the average of that round.
   *
   * @param terms of the round
   * @param gradient evaluates the gradient, shape [d]
   * @param featuresSize evaluates the size where the clip bounds features; elsewhere it is the norm
   *     of the gradient
   * @param answerable whether the data can answer a question; doesn't depend on its values
   * @param truth evaluates a question that it can answer
   */
  EvaluatedGradient(
      RoundTerms terms,
      Supplier<double[]> gradient,
      DoubleSupplier featuresSize,
      Predicate<Question> answerable,
      Predicate<Question> truth) {
    this.terms = terms;
    this.gradient = gradient;
    this.answerable = answerable;
    this.truth = truth;
    boolean isOfFeatures = terms.size().equals(Optional.of(AdaptiveClip.Size.FEATURES));
    size = isOfFeatures ? featuresSize : () -> Sizes.norm(gradient());
  }

  RoundTerms terms() {
    return terms;
  }

  /** The gradient, evaluated by the first call. */
  double[] gradient() {
    if (evaluated == null) {
      evaluated = gradient.get();
    }
    return evaluated;
  }

  /** The size of the gradient, as a moving clip bounds it. */
  double size() {
    return size.getAsDouble();
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

  /** The same where the device is asked for its size, which all data have. */
  Optional<BitRandomiser> sizeBits(boolean asked, Randomiser randomiser) {
    return asked ? BitRandomiser.costing(randomiser.cost()) : Optional.empty();
  }

  /** Returns the true answer to a question; only where {@link #bits} is not empty. */
  boolean answer(Question question) {
    return truth.test(question);
  }
}
