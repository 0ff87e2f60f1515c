package io.croupier.operators.model;

import static io.croupier.operators.model.BitIntake.report;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.accounting.PureCosts;
import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.operators.ledger.MapAccount;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.operators.report.Report;
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

  private static ModelSpec spec(String rest) {
    return BitIntake.spec(ASKS + rest);
  }

  private static AccountingEvent judge(Report report, ModelSpec spec) {
    return BitIntake.judge(report, spec, new MapAccount());
  }

  private static String answer(String question, boolean bit, String level) {
    return "round: 0 answer { question: '%s' bit: %s } randomised_response { %s }"
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
    assertThat(judge(report, spec).getOutcome()).isEqualTo(Outcome.ADMITTED);
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
    AccountingEvent pure = judge(report(answer("a", true, "epsilon: " + level)), spec);
    assertThat(pure.getOutcome()).isEqualTo(Outcome.ADMITTED);
    Spend spent = pure.getSpent();
    assertThat(spent.getEpsilon()).isEqualTo(level);
    assertThat(spent.getRho()).isEqualTo(DecimalUnits.toDouble(PureCosts.rhoPicos(level), 12));
    assertThat(spent.getMuOfAll()).isEqualTo(DecimalUnits.rootUp(PureCosts.muSquaredPicos(level)));
    assertThat(pure.getUserTotals().getRho()).isEqualTo(spent.getRho());
    assertThat(pure.getRandomisedResponse().getEpsilon()).isEqualTo(level);

    AccountingEvent gaussian = judge(report(answer("a", true, "mu: " + level)), spec);
    AccountingEvent noise =
        judge(
            report("round: 0 grid { values: [1, 2, 3] } gaussian { mu: %s }".formatted(level)),
            spec);
    assertThat(gaussian.getRandomisedResponse().getMu()).isEqualTo(level);
    assertThat(gaussian.getSpent())
        .as("but for the distance of the discrete Gaussian from its law, which an answer has not")
        .isEqualTo(noise.getSpent().toBuilder().clearTotalVariation().build());
    assertThat(gaussian.getSpent().getVariationRate()).isPositive();
  }

  @Test
  void aPureLimitTakesNoMu() {
    ModelSpec spec = spec("limits { epsilon: 10 } black_box {}");
    AccountingEvent event = judge(report(answer("a", true, "mu: 1")), spec);
    assertThat(event.getOutcome()).isEqualTo(Outcome.REFUSED_DECLARATION);
    assertThat(event.getReason())
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
    assertThat(BitIntake.judge(first, spec, account).getOutcome()).isEqualTo(Outcome.ADMITTED);
    assertThat(BitIntake.judge(first, spec, account).getOutcome()).isEqualTo(Outcome.DUPLICATE);
    Report other = report(answer("a", false, "epsilon: 1"));
    assertThat(BitIntake.judge(other, spec, account).getOutcome())
        .isEqualTo(Outcome.REFUSED_SEQUENCE);
    Report next =
        report(answer("a", true, "epsilon: 1").replace("round: 0", "round: 1 sequence: 2"));
    assertThat(BitIntake.judge(next, spec, account).getOutcome()).isEqualTo(Outcome.REFUSED_BUDGET);
  }

  @Test
  void anUnknownQuestionIsRefusedAndCharged() {
    AccountingEvent event = judge(report(answer("c", true, "epsilon: 1")), spec("black_box {}"));
    assertThat(event.getOutcome()).isEqualTo(Outcome.REFUSED_DIMENSION);
    assertThat(event.getReason())
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
    AccountingEvent event = judge(report(answer("a", true, "epsilon: 1")), central);
    assertThat(event.getOutcome()).isEqualTo(Outcome.REFUSED_DIMENSION);
    assertThat(event.getReason()).endsWith("it asks none");
  }

  @ParameterizedTest
  @CsvSource({"0.5, ADMITTED", "0.25, REFUSED_DECLARATION", "1, REFUSED_DECLARATION"})
  void aStatedBoundMustBeTheModels(double bound, Outcome outcome) {
    String gradient = "round: 0 grid { values: [0, 0, 0] } l2_laplace { epsilon: 1 }";
    AccountingEvent event =
        judge(report("gradient_bound: %s ".formatted(bound) + gradient), spec("black_box {}"));
    assertThat(event.getOutcome()).isEqualTo(outcome);
    if (outcome != Outcome.ADMITTED) {
      assertThat(event.getReason())
          .contains(
              "gradient_bound is %s: it must be the model's, 0.5, or left out".formatted(bound));
    }
    assertThat(judge(report(gradient), spec("black_box {}")).getOutcome())
        .isEqualTo(Outcome.ADMITTED);
  }

  private RoundSum sum(ModelSpec spec, long round, String question, boolean bit) {
    String answer = answer(question, bit, "epsilon: 3").replace("round: 0", "round: " + round);
    return new ReportIntake(spec, 0).withoutUser(report(answer));
  }

  private static ModelUpdate publish(LiveModel model) {
    try {
      return ModelUpdate.parseFrom(model.publish(true, 0).orElseThrow().toByteArray());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void answersMakeEstimatesAndNoSteps() {
    ModelSpec spec = spec("question_probability: 0.1 ldp_sgd { step_size: 1 decay: 0 }");
    LiveModel model = LiveModel.begin(spec, 0);
    ModelUpdate first = publish(model);
    assertThat(first.getQuestionProbability()).isEqualTo(0.1);
    assertThat(first.getEstimatesList())
        .extracting(estimate -> estimate.getQuestion().getName())
        .containsExactly("a", "b");
    assertThat(first.getEstimatesList()).noneMatch(Estimate::hasFraction);
    model.confirm();
    assertThat(model.hasNews()).isFalse();

    for (int i = 0; i < 30; i++) {
      assertThat(model.add(sum(spec, 0, "a", i < 20))).isEqualTo(BundleOutcome.TALLIED);
    }
    assertThat(model.hasNews()).isTrue();
    assertThat(model.hasNewRound()).isFalse();
    assertThat(model.isAnswered()).as("no gradient has tried the weights").isFalse();
    ModelUpdate update = publish(model);
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
    ModelSpec spec = spec("max_staleness: 1 ldp_sgd { step_size: 1 decay: 0 }");
    LiveModel model = LiveModel.begin(spec, 0);
    for (int round = 0; round < 3; round++) {
      publish(model);
      model.confirm();
      Report gradient =
          report("round: %d dense { values: [1, 0, 0] } undisclosed {}".formatted(round));
      model.add(new ReportIntake(spec, 0).withoutUser(gradient));
    }
    assertThat(model.add(sum(spec, 0, "a", true))).isEqualTo(BundleOutcome.DROPPED_STALE);
    assertThat(model.add(sum(spec, 1, "a", true))).isEqualTo(BundleOutcome.TALLIED);
    assertThat(model.add(sum(spec, 9, "a", true))).isEqualTo(BundleOutcome.DROPPED_UNPUBLISHED);
    ModelUpdate update = publish(model);
    assertThat(update.getDroppedStale()).isOne();
    assertThat(update.getDroppedUnpublished()).isOne();
    assertThat(update.getAnswers()).isOne();
  }

  @Test
  void questionsComeAndGo() {
    ModelSpec spec = spec("ldp_sgd { step_size: 1 decay: 0 }");
    LiveModel model = LiveModel.begin(spec, 0);
    publish(model);
    model.add(sum(spec, 0, "a", true));
    model.add(sum(spec, 0, "b", true));

    ModelSpec.Builder changed = spec.toBuilder().removeQuestions(1);
    changed.addQuestionsBuilder().setName("c").getAccuracyBuilder();
    model.respec(changed.build());
    assertThat(model.isObsolete("answers-of-b/0")).isTrue();
    assertThat(model.isObsolete("answers-of-a/0")).isFalse();
    assertThat(model.isObsolete("recent-answers-of-b/0")).isTrue();
    assertThat(model.isObsolete("recent-answers-of-a/0")).isFalse();
    assertThat(model.add(sum(spec, 0, "b", true))).isEqualTo(BundleOutcome.DROPPED_STALE);
    ModelUpdate update = publish(model);
    assertThat(update.getEstimatesList())
        .extracting(estimate -> estimate.getQuestion().getName())
        .containsExactly("a", "c");
    assertThat(update.getEstimates(0).getAnswers()).isOne();
    assertThat(update.getEstimates(1).getAnswers()).isZero();
    assertThat(update.getAnswers()).isEqualTo(2);

    model.respec(spec.toBuilder().clearQuestions().build());
    ModelUpdate silent = publish(model);
    assertThat(silent.getEstimatesList()).isEmpty();
    assertThat(silent.hasQuestionProbability()).isFalse();
    assertThat(silent.getAnswers()).isEqualTo(2);
  }

  /** All answers since the start of an experiment, which another name ends. */
  @Test
  void anExperimentCountsAllAnswersSinceItsStart() {
    ModelSpec without = spec("ldp_sgd { step_size: 1 decay: 0 }");
    LiveModel model = LiveModel.begin(without, 0);
    publish(model);
    model.add(sum(without, 0, "a", true));
    assertThat(publish(model).getEstimates(0).hasAlways()).isFalse();

    ModelSpec first = without.toBuilder().setExperiment("first").build();
    model.respec(first);
    assertThat(publish(model).getEstimates(0).hasAlways()).isFalse();
    for (int i = 0; i < 3; i++) {
      model.add(sum(first, 0, "a", true));
    }
    for (int i = 0; i < 100; i++) {
      publish(model);
    }
    Map<String, byte[]> saved = new HashMap<>();
    model.save(saved::put);
    assertThat(saved).containsKey("all-answers-of-a/0");
    LiveModel restored = LiveModel.begin(first, 0);
    restored.restore(saved::get);
    Estimate estimate = publish(restored).getEstimates(0);
    assertThat(estimate).isEqualTo(publish(model).getEstimates(0));
    assertThat(estimate.getAlways().getAnswers()).isEqualTo(3);
    assertThat(estimate.getAlways().getLow()).isLessThan(estimate.getLow());

    restored.respec(first.toBuilder().setExperiment("second").build());
    assertThat(restored.isObsolete("all-answers-of-a/0")).isFalse();
    assertThat(publish(restored).getEstimates(0).hasAlways()).isFalse();
    restored.respec(without);
    assertThat(restored.isObsolete("all-answers-of-a/0")).isTrue();
    Map<String, byte[]> withoutExperiment = new HashMap<>();
    restored.save(withoutExperiment::put);
    assertThat(withoutExperiment.keySet()).noneMatch(chunk -> chunk.startsWith("all-"));
    assertThat(publish(restored).getEstimates(0).getFraction()).isEqualTo(estimate.getFraction());
  }

  /** The number of answers counts those to removed questions, too, whenever the job restarts. */
  @Test
  void theNumberOfAnswersSurvivesARestartWithoutQuestions() {
    ModelSpec spec = spec("ldp_sgd { step_size: 1 decay: 0 }");
    LiveModel model = LiveModel.begin(spec, 0);
    publish(model);
    model.add(sum(spec, 0, "a", true));
    model.add(sum(spec, 0, "b", true));
    ModelSpec silent = spec.toBuilder().clearQuestions().build();
    model.respec(silent);
    assertThat(publish(model).getAnswers()).isEqualTo(2);
    Map<String, byte[]> saved = new HashMap<>();
    model.save(saved::put);

    LiveModel restored = LiveModel.begin(silent, 0);
    restored.restore(saved::get);
    assertThat(publish(restored).getAnswers()).isEqualTo(2);

    restored.respec(spec);
    restored.add(sum(spec, 0, "a", true));
    ModelUpdate update = publish(restored);
    assertThat(update.getAnswers()).isEqualTo(3);
    assertThat(update.getEstimates(0).getAnswers()).isOne();
  }
}
