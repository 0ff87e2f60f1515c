package io.croupier.operators.model;

import io.croupier.operators.evaluation.AnswerTally;
import io.croupier.operators.evaluation.FractionEstimate;
import io.croupier.operators.evaluation.ReplyTally;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.Question;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A yes-or-no question, with the answers by their two weights of age, and all answers to an
 * experiment.
 */
record AskedQuestion(
    Question question, AnswerTally lasting, AnswerTally recent, Optional<AnswerTally> all)
    implements Asked {
  static final String ANSWERS = "answers-of-";
  static final String RECENT_ANSWERS = "recent-answers-of-";
  static final String ALL_ANSWERS = "all-answers-of-";

  /**
   * Returns a question without answers.
   *
   * @param isExperiment whether all answers since its start count, too
   */
  static AskedQuestion of(Question question, boolean isExperiment) {
    return new AskedQuestion(
        question, AnswerTally.lasting(), AnswerTally.recent(), all(isExperiment));
  }

  /** Returns the question with the same answers, but for those of an experiment that begins. */
  AskedQuestion begin(boolean isExperiment) {
    return new AskedQuestion(question, lasting, recent, all(isExperiment));
  }

  private static Optional<AnswerTally> all(boolean isExperiment) {
    return isExperiment ? Optional.of(AnswerTally.all()) : Optional.empty();
  }

  @Override
  public String name() {
    return question.getName();
  }

  @Override
  public Question meaning() {
    return question;
  }

  @Override
  public Map<String, ReplyTally> tallies() {
    Map<String, ReplyTally> tallies = new HashMap<>();
    tallies.put(ANSWERS, lasting);
    tallies.put(RECENT_ANSWERS, recent);
    all.ifPresent(tally -> tallies.put(ALL_ANSWERS, tally));
    return tallies;
  }

  Estimate estimate() {
    Estimate.Builder estimate = Estimate.newBuilder().setQuestion(question).setAnswers(0);
    lasting.estimate().ifPresent(fraction -> describe(fraction, estimate));
    recent.estimate().ifPresent(fraction -> estimate.setRecent(recent(fraction)));
    all.flatMap(AnswerTally::estimate).ifPresent(each -> estimate.setAlways(recent(each)));
    return estimate.build();
  }

  private static void describe(FractionEstimate fraction, Estimate.Builder estimate) {
    estimate
        .setFraction(fraction.fraction())
        .setStandardError(fraction.standardError())
        .setLow(fraction.low())
        .setHigh(fraction.high())
        .setAnswers(fraction.answers());
  }

  private static Estimate.Recent.Builder recent(FractionEstimate fraction) {
    return Estimate.Recent.newBuilder()
        .setFraction(fraction.fraction())
        .setStandardError(fraction.standardError())
        .setLow(fraction.low())
        .setHigh(fraction.high())
        .setAnswers(fraction.answers());
  }
}
