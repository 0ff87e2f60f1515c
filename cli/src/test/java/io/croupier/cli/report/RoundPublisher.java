package io.croupier.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.InputException;
import io.croupier.client.ModelSnapshot;
import io.croupier.schemas.ModelUpdate;
import java.util.Optional;

/** Publishes rounds 0, 10, 20, ... on demand; the single weight is the number of the round. */
final class RoundPublisher implements PublishedModel {
  private final long last;
  private final double answerProbability;
  private long newest;

  RoundPublisher(long last, double answerProbability) {
    this.last = last;
    this.answerProbability = answerProbability;
  }

  void publish() {
    newest += 10;
  }

  @Override
  public ModelSnapshot newest() {
    if (newest > last) {
      throw new InputException("retired");
    }
    return ModelSnapshot.parse(
        ModelUpdate.newBuilder()
            .setModelId("m")
            .setRound(newest)
            .addWeights((double) newest)
            .addAverage(0)
            .setGridExponent(-16)
            .setGradientBound(1)
            .setAnswerProbability(answerProbability)
            .build()
            .toByteArray());
  }

  @Override
  public Optional<ModelSnapshot> after(long round) {
    assertThat(round).isEqualTo(newest);
    publish();
    return newest > last ? Optional.empty() : Optional.of(newest());
  }

  @Override
  public void requirePublished(long round) {
    assertThat(round).isBetween(0L, newest);
  }

  @Override
  public void close() {
    // There are no resources to close.
  }
}
