package io.croupier.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.InputException;
import io.croupier.cli.follow.PublishedModel;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.RoundTerms;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Question;
import java.util.Optional;
import java.util.function.Predicate;

/** Publishes rounds 0, 10, 20, ... on demand; the single weight is the number of the round. */
final class RoundPublisher implements PublishedModel {
  private final long last;
  private final double answerProbability;
  private final Optional<Question> question;
  private long newest;

  RoundPublisher(long last, double answerProbability) {
    this(last, answerProbability, Optional.empty());
  }

  /** Asks half of the devices a question. */
  RoundPublisher(long last, Question question) {
    this(last, 1, Optional.of(question));
  }

  private RoundPublisher(long last, double answerProbability, Optional<Question> question) {
    this.last = last;
    this.answerProbability = answerProbability;
    this.question = question;
  }

  void publish() {
    newest += 10;
  }

  @Override
  public ModelSnapshot newest() {
    if (newest > last) {
      throw new InputException("retired");
    }
    ModelUpdate.Builder update =
        ModelUpdate.newBuilder()
            .setModelId("m")
            .setRound(newest)
            .addWeights((double) newest)
            .addAverage(0)
            .setGridExponent(-16)
            .setGradientBound(1)
            .setAnswerProbability(answerProbability);
    question.ifPresent(
        asked -> update.setQuestionProbability(0.5).addEstimatesBuilder().setQuestion(asked));
    return ModelSnapshot.parse(update.build().toByteArray());
  }

  @Override
  public Optional<ModelSnapshot> after(Predicate<ModelSnapshot> isKnown) {
    assertThat(isKnown.test(newest())).isTrue();
    publish();
    return newest > last ? Optional.empty() : Optional.of(newest());
  }

  @Override
  public RoundTerms published(long round) {
    assertThat(round).isBetween(0L, newest);
    return newest().terms().at(round);
  }

  @Override
  public void close() {
    // There are no resources to close.
  }
}
