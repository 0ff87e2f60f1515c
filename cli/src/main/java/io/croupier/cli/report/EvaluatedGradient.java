package io.croupier.cli.report;

import io.croupier.client.Participant;
import io.croupier.client.RoundTerms;
import io.croupier.client.ledger.DataKey;
import io.croupier.schemas.NumberText;
import io.croupier.schemas.Question;
import io.croupier.schemas.Statistic;
import java.util.Map;

/**
 * A gradient to report, or the answer to a question, or about its size, or a category, instead of
 * it. None is evaluated before it is needed.
 */
final class EvaluatedGradient implements Participant {
  private final RoundTerms terms;
  private final Participant data;
  private boolean isReleased;
  private boolean isVote;
  private Map<String, String> categories = Map.of();

  /**
   * What a person's data make of a round.
   *
   * @param terms of the round
   * @param data which know no statistic
   */
  EvaluatedGradient(RoundTerms terms, Participant data) {
    this.terms = terms;
    this.data = data;
  }

  /** Sets the person's category or value in each statistic that is known, by its name. */
  void know(Map<String, String> ownCategories) {
    categories = Map.copyOf(ownCategories);
  }

  RoundTerms terms() {
    return terms;
  }

  @Override
  public DataKey key() {
    return data.key();
  }

  @Override
  public double[] gradient() {
    isReleased = true;
    return data.gradient();
  }

  @Override
  public double size() {
    return data.size();
  }

  @Override
  public boolean canAnswer(Question question) {
    return data.canAnswer(question);
  }

  @Override
  public boolean answer(Question question) {
    return data.answer(question);
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
