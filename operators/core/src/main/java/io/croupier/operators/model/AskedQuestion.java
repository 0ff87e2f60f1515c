package io.croupier.operators.model;

import io.croupier.operators.evaluation.AnswerTally;
import io.croupier.operators.evaluation.FractionEstimate;
import io.croupier.operators.evaluation.ReplyTally;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.Question;
import java.util.Map;

/** A yes-or-no question, with the answers by their two weights of age. */
record AskedQuestion(Question question, AnswerTally lasting, AnswerTally recent) implements Asked {
  static final String ANSWERS = "answers-of-";
  static final String RECENT_ANSWERS = "recent-answers-of-";

  /** Returns a question without answers. */
  static AskedQuestion of(Question question) {
    return new AskedQuestion(question, AnswerTally.lasting(), AnswerTally.recent());
  }

  /** Returns a changed question with the same answers. */
  AskedQuestion as(Question changed) {
    return new AskedQuestion(changed, lasting, recent);
  }

  @Override
  public String name() {
    return question.getName();
  }

  @Override
  public Map<String, ReplyTally> tallies() {
    return Map.of(ANSWERS, lasting, RECENT_ANSWERS, recent);
  }

  Estimate estimate() {
    Estimate.Builder estimate = Estimate.newBuilder().setQuestion(question).setAnswers(0);
    lasting.estimate().ifPresent(fraction -> describe(fraction, estimate));
    recent.estimate().ifPresent(fraction -> estimate.setRecent(recent(fraction)));
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
