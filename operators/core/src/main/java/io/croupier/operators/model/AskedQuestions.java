package io.croupier.operators.model;

import io.croupier.operators.evaluation.AnswerTally;
import io.croupier.operators.evaluation.FractionEstimate;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Question;
import io.croupier.schemas.Questions;
import io.croupier.schemas.StatisticEstimate;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The questions and statistics of a local model, and the answers to each; those to the question of
 * its clip move the clip. A question that the spec no longer contains loses its answers.
 */
final class AskedQuestions {
  private static final String ANSWERS = "answers";
  private static final String CHUNK = "answers-of-";
  private static final String RECENT_CHUNK = "recent-answers-of-";

  private final RoundClip clip;
  private final AskedStatistics statistics;
  private Map<String, Asked> asked = new LinkedHashMap<>();
  private double probability;

  /** Answers that have entered a tally, also of questions that were removed since. */
  private long answers;

  private record Asked(Question question, AnswerTally lasting, AnswerTally recent) {}

  /** Creates the questions of a valid spec and of its clip, without answers. */
  AskedQuestions(ModelSpec spec, RoundClip clip) {
    this.clip = clip;
    statistics = new AskedStatistics(spec);
    follow(spec);
  }

  /** Takes over the questions and statistics of a changed spec. */
  void follow(ModelSpec spec) {
    Map<String, Asked> next = new LinkedHashMap<>();
    for (Question question : spec.getQuestionsList()) {
      Asked before = asked.get(question.getName());
      next.put(
          question.getName(),
          before == null
              ? new Asked(question, AnswerTally.lasting(), AnswerTally.recent())
              : new Asked(question, before.lasting, before.recent));
    }
    asked = next;
    statistics.follow(spec);
    probability = Questions.probability(spec);
  }

  /**
   * Adds an answer.
   *
   * @param age how many publications are newer than the one that the answer is about
   * @return false if its question was removed since it was admitted, or if the model scouts and it
   *     is late
   */
  boolean add(RoundSum answer, int age) {
    if (answer.form == VectorForm.VOTE || statistics.hasQuantiles(answer.question)) {
      boolean isTaken = statistics.add(answer, age);
      answers += isTaken ? 1 : 0;
      return isTaken;
    }
    if (clip.isAsked(answer)) {
      boolean isTaken = clip.add(answer, age);
      answers += isTaken ? 1 : 0;
      return isTaken;
    }
    Asked question = asked.get(answer.question);
    if (question == null) {
      return false;
    }
    question.lasting.add(answer.response, age);
    question.recent.add(answer.response, age);
    answers++;
    return true;
  }

  /** Records a new publication: earlier answers count less. */
  void age() {
    asked
        .values()
        .forEach(
            question -> {
              question.lasting.age();
              question.recent.age();
            });
    statistics.age();
  }

  /** Writes the probability of a question, and the estimates, into an update. */
  void describe(ModelUpdateView.Builder update) {
    boolean isAsking = isAsking();
    if (isAsking) {
      update.setQuestionProbability(clip.isScouting() ? 1 : probability);
    }
    if (isAsking || answers > 0) {
      update.setAnswers(answers);
    }
    update.addAllEstimates(estimates());
    update.addAllStatistics(statistics());
  }

  private boolean isAsking() {
    return !asked.isEmpty() || !statistics.isEmpty() || clip.isMoving();
  }

  /** Returns an estimate for each statistic, in the order of the spec. */
  List<StatisticEstimate> statistics() {
    return statistics.estimates();
  }

  /** Returns an estimate for each question, in the order of the spec. */
  List<Estimate> estimates() {
    return asked.values().stream().map(AskedQuestions::estimate).toList();
  }

  private static Estimate estimate(Asked asked) {
    Estimate.Builder estimate = Estimate.newBuilder().setQuestion(asked.question).setAnswers(0);
    asked.lasting.estimate().ifPresent(fraction -> describe(fraction, estimate));
    asked.recent.estimate().ifPresent(fraction -> estimate.setRecent(recent(fraction)));
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

  /** Writes the answers; nothing for a model that never asked. */
  void save(LearnerState.Visitor writer) {
    if (isAsking() || answers > 0) {
      writer.count(ANSWERS, answers);
    }
    visitTallies(writer);
  }

  /** Reads the answers: their number also where the spec asks nothing any more. */
  void restore(LearnerState.Visitor reader) {
    answers = reader.count(ANSWERS, 0);
    visitTallies(reader);
  }

  private void visitTallies(LearnerState.Visitor visitor) {
    asked.forEach(
        (name, question) -> {
          question.lasting.visit(CHUNK + name, visitor);
          question.recent.visit(RECENT_CHUNK + name, visitor);
        });
    statistics.visit(visitor);
  }

  /** Returns whether a stored part belongs to a question that the spec no longer contains. */
  boolean isForgotten(String part) {
    return isForgotten(part, CHUNK)
        || isForgotten(part, RECENT_CHUNK)
        || statistics.isForgotten(part);
  }

  private boolean isForgotten(String part, String chunk) {
    return part.startsWith(chunk)
        && !asked.containsKey(part.substring(chunk.length(), part.lastIndexOf('/')));
  }
}
