package io.croupier.cli.report;

import io.croupier.client.Participant;
import io.croupier.client.ledger.DataKey;
import io.croupier.schemas.Question;

/** A gradient that another program evaluated, so it answers no question about the average. */
final class GivenGradient implements Participant {
  private final DataKey key;
  private final double[] gradient;
  private final double size;

  /**
   * Makes a participant.
   *
   * @param key names its data
   * @param gradient shape [d]; not copied
   * @param size of the gradient, as a moving clip bounds it
   */
  GivenGradient(DataKey key, double[] gradient, double size) {
    this.key = key;
    this.gradient = gradient;
    this.size = size;
  }

  @Override
  public DataKey key() {
    return key;
  }

  @Override
  public double[] gradient() {
    return gradient;
  }

  @Override
  public double size() {
    return size;
  }

  @Override
  public boolean canAnswer(Question question) {
    return false;
  }

  @Override
  public boolean answer(Question question) {
    throw new IllegalArgumentException("a gradient answers no question");
  }
}
