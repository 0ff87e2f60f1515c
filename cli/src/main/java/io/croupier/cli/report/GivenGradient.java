package io.croupier.cli.report;

import io.croupier.client.Participant;
import io.croupier.client.ledger.DataKey;
import io.croupier.schemas.Question;

/**
 * A gradient that another program evaluated, so it answers no question about the average.
 *
 * @param key names its data
 * @param gradient shape [d]; not copied
 * @param size of the gradient, as a moving clip bounds it
 */
record GivenGradient(DataKey key, double[] gradient, double size) implements Participant {

  @Override
  public boolean canAnswer(Question question) {
    return false;
  }

  @Override
  public boolean answer(Question question) {
    throw new IllegalArgumentException("a gradient answers no question");
  }

  /** Contains nothing of the gradient. */
  @Override
  public String toString() {
    return "GivenGradient[dimension=" + gradient.length + "]";
  }
}
