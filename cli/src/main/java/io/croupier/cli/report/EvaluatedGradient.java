package io.croupier.cli.report;

import io.croupier.client.Participant;
import io.croupier.client.RoundTerms;
import io.croupier.client.Sizes;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.NumberText;
import io.croupier.schemas.Question;
import io.croupier.schemas.Statistic;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A gradient to report, or the answer to a question, or about its size, or a category, instead of
 * it. None is evaluated before it is needed.
 */
final class EvaluatedGradient implements Participant {
  private final RoundTerms terms;
  private final Supplier<double[]> gradient;
  private final DoubleSupplier size;
  private final Predicate<Question> answerable;
  private final Predicate<Question> truth;

  /** Null before it is needed. */
  private double[] evaluated;

  private boolean isReleased;
  private boolean isVote;
  private Map<String, String> categories = Map.of();

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
    size = isOfFeatures ? featuresSize : () -> Sizes.norm(evaluated());
  }

  /** Sets the person's category or value in each statistic that is known, by its name. */
  void know(Map<String, String> ownCategories) {
    categories = Map.copyOf(ownCategories);
  }

  RoundTerms terms() {
    return terms;
  }

  @Override
  public double[] gradient() {
    isReleased = true;
    return evaluated();
  }

  /** The gradient, evaluated by the first call. */
  private double[] evaluated() {
    if (evaluated == null) {
      evaluated = gradient.get();
    }
    return evaluated;
  }

  @Override
  public double size() {
    return size.getAsDouble();
  }

  @Override
  public boolean canAnswer(Question question) {
    return answerable.test(question);
  }

  @Override
  public boolean answer(Question question) {
    return truth.test(question);
  }

  @Override
  public boolean canVote(Statistic statistic) {
    return categories.containsKey(statistic.getName());
  }

  @Override
  public String category(Statistic statistic) {
    isVote = true;
    return categories.get(statistic.getName());
  }

  @Override
  public double value(Statistic statistic) {
    isVote = true;
    return number(categories.get(statistic.getName()));
  }

  /** The number that a text is; NaN, which counts as the lower end of a range, if it is none. */
  static double number(String text) {
    try {
      return NumberText.parseDouble(text);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  /** Whether a category, or a value by a bit, was reported. */
  boolean isVote() {
    return isVote;
  }

  /** Whether a bit or a category was reported instead of the gradient. */
  boolean isBit() {
    return !isReleased;
  }
}
