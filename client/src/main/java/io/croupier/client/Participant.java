package io.croupier.client;

import io.croupier.schemas.Question;

/**
 * A person's data, for one published round of a model. A device is asked for a gradient, or for the
 * answer to a question, or whether the size of its gradient is above the clip; {@link
 * GradientReporter#respond} calls no method that the round doesn't need.
 */
public interface Participant {

  /** The gradient of the person's loss at the weights of the round, shape [d]; not modified. */
  double[] gradient();

  /**
   * The size of the gradient as the model {@linkplain RoundTerms#size bounds} it; asked for only if
   * the clip moves. {@link Sizes} states what a size that is no number of at least 0 means.
   */
  double size();

  /** Whether the data can answer a question; must not depend on their values. */
  boolean canAnswer(Question question);

  /** Evaluates a question that the data can answer, about the average of the round. */
  boolean answer(Question question);
}
