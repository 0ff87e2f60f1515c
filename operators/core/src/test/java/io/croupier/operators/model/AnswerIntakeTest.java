package io.croupier.operators.model;

import static io.croupier.operators.ledger.EventAssertions.assertAdmitted;
import static io.croupier.operators.ledger.EventAssertions.assertOutcome;
import static io.croupier.operators.model.LiveModel.BundleOutcome.DROPPED_STALE;
import static io.croupier.operators.model.LiveModel.BundleOutcome.DROPPED_UNPUBLISHED;
import static io.croupier.operators.model.LiveModel.BundleOutcome.TALLIED;
import static io.croupier.operators.model.LocalModels.published;
import static io.croupier.operators.model.LocalModels.restarted;
import static io.croupier.operators.model.TestIntake.judge;
import static io.croupier.operators.model.TestIntake.report;
import static io.croupier.schemas.AccountingEvent.Outcome.ADMITTED;
import static io.croupier.schemas.AccountingEvent.Outcome.DUPLICATE;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_BUDGET;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_DECLARATION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_DIMENSION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_SEQUENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.PureCosts;
import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.operators.ledger.MapAccount;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.Specs;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Spend;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers from their bytes to the estimates of an update. */
class AnswerIntakeTest {
  private static final String ASKS =
      "questions { name: 'a' accuracy {} } questions { name: 'b' loss_above { threshold: 2 } } ";

  private static final String SGD = "ldp_sgd { step_size: 1 decay: 0 }";

  private static ModelSpec spec(String rest) {
    return Specs.of(3, 0.5, ASKS + rest);
  }

  private static String answer(String question, boolean bit, String level) {
    return "answer { question: '%s' bit: %s } randomised_response { %s } "
        .formatted(question, bit, level);
  }

  /** BANCO, too: an answer has no noise that a bet could suffer from. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "black_box {}",
        "ldp_sgd { step_size: 1 decay: 0 }",
        "banco { strongest_noise { l2_laplace { epsilon: 1 } } }"
      })
  void anAnswerIsAdmittedAndLeavesItsUser(String learner) {
    ModelSpec spec = spec(learner);
    Report report = report(answer("b", false, "epsilon: 0.1"));
    assertAdmitted(judge(report, spec, new MapAccount()));
    RoundSum sum = new ReportIntake(spec, 4).withoutUser(report);
    assertThat(sum.form).isEqualTo(VectorForm.ANSWER);
    assertThat(sum.question).isEqualTo("b");
    assertThat(sum.response).isCloseTo(-Math.tanh(0.05), within(1e-15));
    assertThat(sum.specOffset).isEqualTo(4);
    assertThat(sum.count).isOne();
  }

  /** A pure epsilon costs what the worst mechanism does, a mu what Gaussian noise does. */
  @ParameterizedTest
  @ValueSource(doubles = {0.1, 1, 2.5})
  void costsItsLevel(double level) {
    ModelSpec spec = spec("limits { epsilon: 10 delta: 1e-6 } black_box {}");
    AccountingEvent pure = judge(answer("a", true, "epsilon: " + level), spec);
    assertAdmitted(pure);
    Spend spent = pure.getSpent();
    assertThat(spent.getEpsilon()).isEqualTo(level);
    assertThat(spent.getRho()).isEqualTo(DecimalUnits.toDouble(PureCosts.rhoPicos(level), 12));
    assertThat(spent.getMuOfAll()).isEqualTo(DecimalUnits.rootUp(PureCosts.muSquaredPicos(level)));
    assertThat(pure.getUserTotals().getRho()).isEqualTo(spent.getRho());
    assertThat(pure.getRandomisedResponse().getEpsilon()).isEqualTo(level);

    AccountingEvent gaussian = judge(answer("a", true, "mu: " + level), spec);
    AccountingEvent noise =
        judge("grid { values: [1, 2, 3] } gaussian { mu: %s }".formatted(level), spec);
    assertThat(gaussian.getRandomisedResponse().getMu()).isEqualTo(level);
    assertThat(gaussian.getSpent())
        .as("but for the distance of the discrete Gaussian from its law, which an answer has not")
        .isEqualTo(noise.getSpent().toBuilder().clearTotalVariation().build());
    assertThat(gaussian.getSpent().getVariationRate()).isPositive();
  }

  @Test
  void aPureLimitTakesNoMu() {
    ModelSpec spec = spec("limits { epsilon: 10 } black_box {}");
    AccountingEvent event = judge(answer("a", true, "mu: 1"), spec);
    assertOutcome(event, REFUSED_DECLARATION)
        .startsWith(
            "declaration is randomised_response with mu 1.0: limits.epsilon is a limit of pure"
                + " epsilons, which an answer of a level mu doesn't have: its level must be an"
                + " epsilon");
    assertThat(event.getSpent().getMu()).as("it has left the device").isEqualTo(1);
  }

  @Test
  void aLimitCountsAnswersLikeReports() {
    ModelSpec spec = spec("limits { epsilon: 1.5 } black_box {}");
    MapAccount account = new MapAccount();
    Report first = report(answer("a", true, "epsilon: 1"));
    assertAdmitted(judge(first, spec, account));
    assertOutcome(judge(first, spec, account), DUPLICATE);
    Report other = report(answer("a", false, "epsilon: 1"));
    assertOutcome(judge(other, spec, account), REFUSED_SEQUENCE);
    Report next = report(answer("a", true, "epsilon: 1") + "round: 1 sequence: 2");
    assertOutcome(judge(next, spec, account), REFUSED_BUDGET);
  }

  @Test
  void anUnknownQuestionIsRefusedAndCharged() {
    AccountingEvent event = judge(answer("c", true, "epsilon: 1"), spec("black_box {}"));
    assertOutcome(event, REFUSED_DIMENSION)
        .isEqualTo("answer.question must be one of the model's: it asks a, b");
    assertThat(event.getSpent().getEpsilon()).isEqualTo(1);
  }

  @Test
  void aCentralModelRefusesAnswers() {
    ModelSpec central =
        spec(
                "limits { delta: 1e-6 max_participations: 4 min_separation: 10 } dp_ftrl {"
                    + " clip_norm: 1 noise_multiplier: 2 noise { tree {} } learning_rate: 1 }")
            .toBuilder()
            .clearQuestions()
            .build();
    assertOutcome(judge(answer("a", true, "epsilon: 1"), central), REFUSED_DIMENSION)
        .endsWith("it asks none");
  }

  @ParameterizedTest
  @CsvSource({"0.5, ADMITTED", "0.25, REFUSED_DECLARATION", "1, REFUSED_DECLARATION"})
  void aStatedBoundMustBeTheModels(double bound, Outcome outcome) {
    String gradient = "grid { values: [0, 0, 0] } l2_laplace { epsilon: 1 }";
    AccountingEvent event =
        judge("gradient_bound: %s ".formatted(bound) + gradient, spec("black_box {}"));
    assertThat(event.getOutcome()).isEqualTo(outcome);
    if (outcome != ADMITTED) {
      assertThat(event.getReason())
          .contains(
              "gradient_bound is %s: it must be the model's, 0.5, or left out".formatted(bound));
    }
    assertAdmitted(judge(gradient, spec("black_box {}")));
  }

  private static RoundSum sum(ModelSpec spec, long round, String question, boolean bit) {
    return TestIntake.sum(answer(question, bit, "epsilon: 3") + "round: " + round, spec);
  }

  @Test
  void answersMakeEstimatesAndNoSteps() {
    ModelSpec spec = spec("question_probability: 0.1 " + SGD);
    LiveModel model = LiveModel.begin(spec, 0);
    ModelUpdate first = published(model);
    assertThat(first.getQuestionProbability()).isEqualTo(0.1);
    assertThat(first.getEstimatesList())
        .extracting(estimate -> estimate.getQuestion().getName())
        .containsExactly("a", "b");
    assertThat(first.getEstimatesList()).noneMatch(Estimate::hasFraction);
    model.confirm();
    assertThat(model.hasNews()).isFalse();

    for (int i = 0; i < 30; i++) {
      assertThat(model.add(sum(spec, 0, "a", i < 20))).isEqualTo(TALLIED);
    }
    assertThat(model.hasNews()).isTrue();
    assertThat(model.hasNewRound()).isFalse();
    assertThat(model.isAnswered()).as("no gradient has tried the weights").isFalse();
    ModelUpdate update = published(model);
    assertThat(update.getRound()).isZero();
    assertThat(update.getUsed()).isZero();
    assertThat(update.getAnswers()).isEqualTo(30);
    Estimate accuracy = update.getEstimates(0);
    double h = Math.tanh(1.5);
    assertThat(accuracy.getFraction()).isCloseTo(0.5 + 1.0 / 6 / h, within(1e-12));
    assertThat(accuracy.getStandardError())
        .isCloseTo(Math.sqrt((1 - 1.0 / 9) / 30) / 2 / h, within(1e-12));
    assertThat(accuracy.getLow()).isBetween(0.3, accuracy.getFraction());
    assertThat(accuracy.getHigh()).isBetween(accuracy.getFraction(), 0.95);
    assertThat(accuracy.getAnswers()).isEqualTo(30);
    assertThat(update.getEstimates(1).hasFraction()).isFalse();
  }

  @Test
  void staleAnswersAreDroppedAndCounted() {
    ModelSpec spec = spec("max_staleness: 1 " + SGD);
    LiveModel model = LiveModel.begin(spec, 0);
    for (int round = 0; round < 3; round++) {
      published(model);
      model.confirm();
      model.add(TestIntake.sum("dense { values: [1, 0, 0] } undisclosed {} round: " + round, spec));
    }
    assertThat(model.add(sum(spec, 0, "a", true))).isEqualTo(DROPPED_STALE);
    assertThat(model.add(sum(spec, 1, "a", true))).isEqualTo(TALLIED);
    assertThat(model.add(sum(spec, 9, "a", true))).isEqualTo(DROPPED_UNPUBLISHED);
    ModelUpdate update = published(model);
    assertThat(update.getDroppedStale()).isOne();
    assertThat(update.getDroppedUnpublished()).isOne();
    assertThat(update.getAnswers()).isOne();
  }

  @Test
  void questionsComeAndGo() {
    ModelSpec spec = spec(SGD);
    LiveModel model = LiveModel.begin(spec, 0);
    published(model);
    model.add(sum(spec, 0, "a", true));
    model.add(sum(spec, 0, "b", true));

    ModelSpec.Builder changed = spec.toBuilder().removeQuestions(1);
    changed.addQuestionsBuilder().setName("c").getAccuracyBuilder();
    model.respec(changed.build());
    assertThat(model.isObsolete("answers-of-b/0")).isTrue();
    assertThat(model.isObsolete("answers-of-a/0")).isFalse();
    assertThat(model.isObsolete("recent-answers-of-b/0")).isTrue();
    assertThat(model.isObsolete("recent-answers-of-a/0")).isFalse();
    assertThat(model.add(sum(spec, 0, "b", true))).isEqualTo(DROPPED_STALE);
    ModelUpdate update = published(model);
    assertThat(update.getEstimatesList())
        .extracting(estimate -> estimate.getQuestion().getName())
        .containsExactly("a", "c");
    assertThat(update.getEstimates(0).getAnswers()).isOne();
    assertThat(update.getEstimates(1).getAnswers()).isZero();
    assertThat(update.getAnswers()).isEqualTo(2);

    model.respec(spec.toBuilder().clearQuestions().build());
    ModelUpdate silent = published(model);
    assertThat(silent.getEstimatesList()).isEmpty();
    assertThat(silent.hasQuestionProbability()).isFalse();
    assertThat(silent.getAnswers()).isEqualTo(2);
  }

  /** All answers since the start of an experiment, which another name ends. */
  @Test
  void anExperimentCountsAllAnswersSinceItsStart() {
    ModelSpec without = spec(SGD);
    LiveModel model = LiveModel.begin(without, 0);
    published(model);
    model.add(sum(without, 0, "a", true));
    assertThat(published(model).getEstimates(0).hasAlways()).isFalse();

    ModelSpec first = without.toBuilder().setExperiment("first").build();
    model.respec(first);
    assertThat(published(model).getEstimates(0).hasAlways()).isFalse();
    for (int i = 0; i < 3; i++) {
      model.add(sum(first, 0, "a", true));
    }
    for (int i = 0; i < 100; i++) {
      published(model);
    }
    Map<String, byte[]> saved = new HashMap<>();
    LiveModel restored = restarted(model, saved);
    assertThat(saved).containsKey("all-answers-of-a/0");
    Estimate estimate = published(restored).getEstimates(0);
    assertThat(estimate).isEqualTo(published(model).getEstimates(0));
    assertThat(estimate.getAlways().getAnswers()).isEqualTo(3);
    assertThat(estimate.getAlways().getLow()).isLessThan(estimate.getLow());

    restored.respec(first.toBuilder().setExperiment("second").build());
    assertThat(restored.isObsolete("all-answers-of-a/0")).isFalse();
    assertThat(published(restored).getEstimates(0).hasAlways()).isFalse();
    restored.respec(without);
    assertThat(restored.isObsolete("all-answers-of-a/0")).isTrue();
    Map<String, byte[]> withoutExperiment = new HashMap<>();
    restored.save(withoutExperiment::put);
    assertThat(withoutExperiment.keySet()).noneMatch(chunk -> chunk.startsWith("all-"));
    assertThat(published(restored).getEstimates(0).getFraction()).isEqualTo(estimate.getFraction());
  }

  /** The number of answers counts those to removed questions, too, whenever the job restarts. */
  @Test
  void theNumberOfAnswersSurvivesARestartWithoutQuestions() {
    ModelSpec spec = spec(SGD);
    LiveModel model = LiveModel.begin(spec, 0);
    published(model);
    model.add(sum(spec, 0, "a", true));
    model.add(sum(spec, 0, "b", true));
    ModelSpec silent = spec.toBuilder().clearQuestions().build();
    model.respec(silent);
    assertThat(published(model).getAnswers()).isEqualTo(2);
    LiveModel restored = restarted(model);
    assertThat(published(restored).getAnswers()).isEqualTo(2);

    restored.respec(spec);
    restored.add(sum(spec, 0, "a", true));
    ModelUpdate update = published(restored);
    assertThat(update.getAnswers()).isEqualTo(3);
    assertThat(update.getEstimates(0).getAnswers()).isOne();
  }
}
