package io.croupier.schemas;

import static io.croupier.schemas.Texts.COMMON;
import static io.croupier.schemas.Texts.assertEqual;
import static io.croupier.schemas.Texts.assertViolation;
import static io.croupier.schemas.Texts.changed;
import static io.croupier.schemas.Texts.report;
import static io.croupier.schemas.Texts.spec;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuestionsTest {
  private static final String GOOD =
      "answer { question: 'accuracy' bit: false } randomised_response { epsilon: 1 }";
  private static final String ASKING =
      "questions { name: 'a' accuracy {} } questions { name: 'b' loss_above { threshold: -1 } }"
          + " question_probability: 0.5 ";

  @ParameterizedTest
  @ValueSource(strings = {"epsilon: 1", "mu: 0.5", "epsilon: 1e300"})
  void anAnswerWithItsLevelIsWellFormed(String level) {
    GradientReport report = report(GOOD.replace("epsilon: 1", level));
    assertThat(GradientReports.violations(report)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "question: 'accuracy' | | answer.question must be 1 to 100 letters",
        "accuracy | a b | answer.question must be 1 to 100 letters",
        "bit: false | | answer.bit is missing",
        "epsilon: 1 | | randomised_response.epsilon is missing: it must be a finite number above 0",
        "epsilon: 1 | epsilon: 0 | randomised_response.epsilon is 0.0: it must be a finite number",
        "epsilon: 1 | epsilon: nan | randomised_response.epsilon is NaN",
        "epsilon: 1 | epsilon: inf | randomised_response.epsilon is Infinity",
        "epsilon: 1 | mu: -1 | randomised_response.mu is -1.0: it must be a finite number above 0",
        "epsilon: 1 | mu: inf | randomised_response.mu is Infinity",
      })
  void saysWhatIsWrong(String good, String bad, String reason) {
    assertThat(Violation.text(GradientReports.violations(report(changed(GOOD, good, bad)))))
        .contains(reason);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dense { values: 1 } randomised_response { epsilon: 1 }",
        "candidate { dimension: 2 seed: 7 index: 3 } randomised_response { epsilon: 1 }",
        "answer { question: 'a' bit: true } l2_laplace { epsilon: 1 }",
        "answer { question: 'a' bit: true } undisclosed {}",
        "answer { question: 'a' bit: true } central {}",
        "answer { question: 'a' bit: true } coordinate_laplace { taus: 1 }",
        "answer { question: 'a' bit: true }",
      })
  void answersAndRandomisedResponseOccurTogetherOnly(String text) {
    assertThat(GradientReports.violations(report(text))).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "nan", "inf"})
  void aBoundOfAReportIsFiniteAndAboveZero(String bound) {
    assertThat(GradientReports.violations(report("gradient_bound: %s ".formatted(bound) + GOOD)))
        .singleElement()
        .asString()
        .startsWith("gradient_bound is");
  }

  @Test
  void aModelMayAsk() {
    ModelSpec spec = spec(COMMON + ASKING + "black_box {}");
    assertThat(ModelSpecs.violations(spec)).isEmpty();
    assertThat(Questions.probability(spec)).isEqualTo(0.5);
    assertThat(Questions.probability(spec.toBuilder().clearQuestionProbability().build()))
        .isEqualTo(0.02);
    assertThat(Questions.probability(spec(COMMON + "black_box {}"))).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "question_probability: 0.5 | question_probability: 1 | question_probability is 1.0",
        "question_probability: 0.5 | question_probability: nan | question_probability is NaN",
        "question_probability: 0.5 | question_probability: -0.1 | question_probability is -0.1",
        "name: 'b' | name: 'a' | questions[1].name is \"a\": it must be another than those before",
        "name: 'b' | | questions[1].name is \"\": it must be 1 to 100 letters",
        "threshold: -1 | threshold: inf | questions[1].loss_above.threshold is Infinity",
        "threshold: -1 | | questions[1].loss_above.threshold is missing",
        "accuracy {} | | questions[0] is empty or unknown: it must be accuracy or loss_above",
      })
  void saysWhatIsWrongWithAQuestion(String good, String bad, String reason) {
    assertViolation(spec(COMMON + changed(ASKING, good, bad) + "black_box {}"), reason);
  }

  @Test
  void aProbabilityNeedsQuestions() {
    assertThat(ModelSpecs.violations(spec(COMMON + "question_probability: 0.1 black_box {}")))
        .containsExactly(
            "question_probability is 0.1: it must be left out: the model asks no questions, and has"
                + " no statistics");
  }

  @Test
  void atMostSixteenQuestions() {
    ModelSpec.Builder spec = spec(COMMON + "black_box {}").toBuilder();
    for (int i = 0; i < Questions.MOST; i++) {
      spec.addQuestionsBuilder().setName("q" + i).setAccuracy(Accuracy.getDefaultInstance());
    }
    assertThat(ModelSpecs.violations(spec.build())).isEmpty();
    spec.addQuestionsBuilder().setName("one-more").setAccuracy(Accuracy.getDefaultInstance());
    assertThat(ModelSpecs.violations(spec.build()))
        .containsExactly("questions is of length 17: it must be at most 16");
  }

  @Test
  void aCentralModelAsksNothing() {
    String central = Texts.CENTRAL_LIMITS + "dp_ftrl { " + Texts.TREE + "learning_rate: 1 }";
    assertThat(ModelSpecs.violations(spec(COMMON + ASKING + central)))
        .contains(
            "questions is of length 2: it must be empty: a central model takes reports without"
                + " noise from the device only");
  }

  @Test
  void questionsOfARunningModelMayComeAndGo() {
    ModelSpec without = spec(COMMON + "black_box {}");
    ModelSpec with = spec(COMMON + ASKING + "black_box {}");
    assertEqual(without, with);
    ModelSpec other = spec(COMMON + ASKING.replace("-1", "-2") + "black_box {}");
    assertThat(ModelSpecs.changeViolations(with, other))
        .containsExactly(
            "question b of a running model is fixed while it stays: a new question must have a new"
                + " name");
  }

  @Test
  void estimatesFitIntoTheBoundOfAnUpdate() {
    ModelSpec spec = ModelSpec.newBuilder().setDimension(1).build();
    ModelUpdate.Builder update = ModelUpdate.newBuilder().setModelId("m".repeat(100));
    for (int i = 0; i < 50; i++) {
      update.putDiagnostics("a diagnostic with a long name: " + i, 1);
    }
    for (int i = 0; i < Questions.MOST; i++) {
      Question.Builder question = Question.newBuilder().setName("q".repeat(100));
      question.getLossAboveBuilder().setThreshold(1);
      update
          .addEstimatesBuilder()
          .setQuestion(question)
          .setFraction(1)
          .setStandardError(1)
          .setLow(1)
          .setHigh(1)
          .setAnswers(-1);
    }
    assertThat((long) update.build().getSerializedSize())
        .isBetween(4000L, ModelSpecs.updateBytes(spec));
  }
}
