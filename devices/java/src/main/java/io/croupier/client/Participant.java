package io.croupier.client;

import io.croupier.client.ledger.DataKey;
import io.croupier.schemas.Question;
import io.croupier.schemas.Statistic;

/**
 * A person's data, for one published round of a model. A device is asked for a gradient, or for the
 * answer to a question, or for a statistic, or whether the size of its gradient is above the clip;
 * {@link GradientReporter#respond} calls no method that the round doesn't need.
 */
public interface Participant {

  /**
   * Names the data: the device reports data of a key once to each model, or as often as the key
   * says. {@link Rows} are named by their digest.
   */
  DataKey key();

  /** The gradient of the person's loss at the weights of the round, shape [d]; not modified. */
  double[] gradient();

  /**
   * The size of the gradient as the model {@linkplain RoundTerms.Clip#size bounds} it; asked for
   * only if the clip moves. {@link Sizes} states what a size that is no number of at least 0 means.
   */
  double size();

  /** Whether the data can answer a question; must not depend on their values. */
  boolean canAnswer(Question question);

  /** Evaluates a question that the data can answer, about the average of the round. */
  boolean answer(Question question);

  /**
   * Whether this program knows the person's category in a statistic, or value, or text; must not
   * depend on data. False unless it is overridden.
   */
  default boolean canVote(Statistic statistic) {
    return false;
  }

  /**
   * The person's category in a statistic that this program knows, or the person's text in one of
   * {@linkplain io.croupier.schemas.Prefixes prefixes}. Null, or a value that is none of the
   * {@linkplain io.croupier.schemas.Choice categories}, counts as the last of them; null, or what
   * is no text of the alphabet, as the empty text.
   */
  default String category(Statistic statistic) {
    return null;
  }

  /**
   * The person's value in a statistic of {@linkplain io.croupier.schemas.Quantiles quantiles} that
   * this program knows. One beyond the range counts as the nearest end, NaN as its lower end.
   *
   * @throws UnsupportedOperationException unless it is overridden: {@link #canVote} must then be
   *     false for statistics of quantiles
   */
  default double value(Statistic statistic) {
    throw new UnsupportedOperationException(
        "canVote is true for statistic "
            + statistic.getName()
            + " of quantiles; value must be overridden, or canVote be false");
  }
}
