package io.croupier.schemas;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What makes the questions of a spec, and the answers to them, well-formed. */
public final class Questions {
  /** The most questions of a model. */
  public static final int MOST = 16;

  private static final double DEFAULT_PROBABILITY = 0.02;

  private Questions() {}

  /** Whether {@code name} may name a question: 1 to 100 letters, digits, '.', '_' or '-'. */
  public static boolean isName(String name) {
    return SpecRules.isName(name);
  }

  /**
   * Probability with which a device that takes part in a round is asked a question, or for a
   * statistic, instead of for a gradient: as set, else 0.02; 0 if the model asks for neither, 1 if
   * it has no learner. While a model with an adaptive clip scouts, its updates have a probability
   * of 1 instead.
   */
  public static double probability(ModelSpec spec) {
    if (!ModelSpecs.hasLearner(spec)) {
      return 1;
    }
    if (!isAsking(spec)) {
      return 0;
    }
    return spec.hasQuestionProbability() ? spec.getQuestionProbability() : DEFAULT_PROBABILITY;
  }

  private static boolean isAsking(ModelSpec spec) {
    return spec.getQuestionsCount() > 0 || spec.getStatisticsCount() > 0 || spec.hasAdaptiveClip();
  }

  static void check(ModelSpec spec, Violations violations) {
    int count = spec.getQuestionsCount();
    if (spec.hasQuestionProbability()) {
      double p = spec.getQuestionProbability();
      violations.require(p >= 0 && p < 1, "question_probability", p, "at least 0 and below 1");
      violations.require(
          isAsking(spec),
          "question_probability",
          p,
          "left out: the model asks no questions, and has no statistics");
      violations.require(
          p != 0 || !spec.hasAdaptiveClip(),
          "question_probability",
          p,
          "above 0: the answers to the question " + AdaptiveClips.QUESTION + " adapt the clip");
    }
    if (count == 0) {
      return;
    }
    violations.require(
        !ModelSpecs.isCentral(spec),
        "questions",
        "of length " + count,
        "empty: a central model takes reports without noise from the device only");
    violations.require(count <= MOST, "questions", "of length " + count, "at most " + MOST);
    Set<String> names = new HashSet<>();
    for (int i = 0; i < count; i++) {
      String name = spec.getQuestions(i).getName();
      violations.require(
          !(spec.hasAdaptiveClip() && name.equals(AdaptiveClips.QUESTION)),
          "questions[" + i + "].name",
          '"' + name + '"',
          "another: with adaptive_clip, the model asks a question of its own by this name");
      check("questions[" + i + "]", spec.getQuestions(i), names, violations);
    }
  }

  private static void check(
      String path, Question question, Set<String> names, Violations violations) {
    String name = question.getName();
    violations.require(
        isName(name),
        path + ".name",
        '"' + name + '"',
        "1 to 100 letters, digits, '.', '_' or '-'");
    violations.require(
        names.add(name), path + ".name", '"' + name + '"', "another than those before it");
    switch (question.getKindCase()) {
      case ACCURACY -> {}
      case LOSS_ABOVE -> {
        LossAbove lossAbove = question.getLossAbove();
        String field = path + ".loss_above.threshold";
        if (violations.required(field, lossAbove.hasThreshold(), "a finite number")) {
          double threshold = lossAbove.getThreshold();
          violations.require(Double.isFinite(threshold), field, threshold, "a finite number");
        }
      }
      case KIND_NOT_SET ->
          violations.add(path, "is empty or unknown: it must be accuracy or loss_above");
    }
  }

  /** Adds a violation for each question of both lists that has another kind in the second one. */
  static void compare(List<Question> current, List<Question> next, List<String> violations) {
    for (Question before : current) {
      for (Question after : next) {
        if (before.getName().equals(after.getName()) && !before.equals(after)) {
          violations.add(
              "question "
                  + before.getName()
                  + " of a running model is fixed while it stays: a new question must have a new"
                  + " name");
        }
      }
    }
  }

  static void checkAnswer(GradientReport report, Violations violations) {
    Answer answer = report.getAnswer();
    if (!isName(answer.getQuestion())) {
      violations.add("answer.question", "must be 1 to 100 letters, digits, '.', '_' or '-'");
    }
    violations.required("answer.bit", answer.hasBit(), "true or false");
    violations.require(
        report.hasRandomisedResponse(),
        "gradient",
        "answer",
        "another, unless the report is randomised_response");
  }
}
