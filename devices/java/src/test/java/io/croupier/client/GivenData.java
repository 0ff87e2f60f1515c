package io.croupier.client;

import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.FrequentData;
import io.croupier.schemas.Question;
import io.croupier.schemas.Statistic;

/** Data that know no answer, but for what a test overrides. They may be reported often. */
public class GivenData implements Participant {
  @Override
  public DataKey key() {
    return FrequentData.KEY;
  }

  @Override
  public double[] gradient() {
    throw new AssertionError("the round asks for something else");
  }

  @Override
  public double size() {
    throw new AssertionError("the round asks for something else");
  }

  @Override
  public boolean canAnswer(Question question) {
    return true;
  }

  @Override
  public boolean answer(Question question) {
    throw new AssertionError("the round asks for something else");
  }

  @Override
  public boolean canVote(Statistic statistic) {
    return true;
  }
}
