package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.croupier.client.randomiser.Calibration;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.view.ModelUpdateView;
import org.junit.jupiter.api.Test;

class ModelSnapshotTest {

  /** With more reports, the job publishes a round again. */
  @Test
  void countsAndTimesAreNoOtherRound() {
    ModelUpdate.Builder update = Updates.update("m", 7, 0);
    update.addEstimatesBuilder().setFraction(0.5).getQuestionBuilder().setName("q");
    update.addStatisticsBuilder().setThreshold(1).getLastingBuilder().addFractions(0.5);
    ModelSnapshot first = ModelSnapshot.parse(update.build().toByteArray());
    update.setUsed(1).setOpen(2).setAnswers(3).setPublishedAtMs(4).putDiagnostics("d", 5);
    update.getEstimatesBuilder(0).setFraction(0.75);
    update.getStatisticsBuilder(0).getLastingBuilder().setFractions(0, 0.75);
    assertThat(ModelSnapshot.parse(update.build().toByteArray()).isSameRound(first)).isTrue();
    update.getStatisticsBuilder(0).setThreshold(2);
    assertThat(ModelSnapshot.parse(update.build().toByteArray()).isSameRound(first)).isFalse();
  }

  @Test
  void containsTheUpdatesFields() {
    ModelSnapshot snapshot =
        Updates.parse(
            Updates.update("m", 7, 1, -2.5)
                .setUsed(6)
                .setDroppedStale(5)
                .setDroppedUnpublished(4)
                .setOpen(3)
                .setGridExponent(-20)
                .setGradientBound(0.25)
                .setAnswerProbability(0.5)
                .putDiagnostics("magnitude", 1.5)
                .setPublishedAtMs(99));
    assertThat(snapshot.modelId()).isEqualTo("m");
    assertThat(snapshot.round()).isEqualTo(7);
    assertThat(snapshot.dimension()).isEqualTo(2);
    assertThat(snapshot.weights()).containsExactly(1, -2.5);
    assertThat(snapshot.average()).containsExactly(0.5, -1.25);
    assertThat(snapshot.used()).isEqualTo(6);
    assertThat(snapshot.droppedStale()).isEqualTo(5);
    assertThat(snapshot.droppedUnpublished()).isEqualTo(4);
    assertThat(snapshot.open()).isEqualTo(3);
    assertThat(snapshot.gridExponent()).isEqualTo(-20);
    assertThat(snapshot.gradientBound()).isEqualTo(0.25);
    assertThat(snapshot.answerProbability()).isEqualTo(0.5);
    assertThat(snapshot.diagnostics()).containsOnlyKeys("magnitude").containsValue(1.5);
    assertThat(snapshot.publishedAtMs()).isEqualTo(99);
    assertThat(snapshot).hasToString("ModelSnapshot[m, round 7]");
  }

  @Test
  void containsTheMovingClip() {
    ModelUpdate.Builder update =
        Updates.update("m", 7, 1, -2.5)
            .setGradientBound(0.3)
            .setGridExponent(-18)
            .setSize(AdaptiveClip.Size.FEATURES)
            .setSlopeBound(0.75)
            .setDroppedBound(3)
            .setQuestionProbability(0.02);
    ModelSnapshot snapshot = Updates.parse(update);
    assertThat(snapshot.size()).contains(AdaptiveClip.Size.FEATURES);
    assertThat(snapshot.slopeBound()).isEqualTo(0.75);
    assertThat(snapshot.droppedBound()).isEqualTo(3);
    assertThat(snapshot.questionProbability())
        .as("the question about the size has no estimate")
        .isEqualTo(0.02);
    assertThat(snapshot.isScouting()).isFalse();
    update.setQuestionProbability(1);
    assertThat(Updates.parse(update).isScouting()).isTrue();
    update.clearSize().clearSlopeBound();
    ModelSnapshot fixed = Updates.parse(update);
    assertThat(fixed.size()).isEmpty();
    assertThat(fixed.isScouting()).isFalse();
    assertThat(fixed.questionProbability()).isZero();
  }

  /** The grid of a clip has from 2^16 to 2^17 steps; the fewest have the weakest guarantee. */
  @Test
  void calibratesForTheCoarsestGridOfAMovingClip() {
    ModelUpdate.Builder update =
        Updates.update("m", 7, 1, 2, 3).setGradientBound(0.49).setGridExponent(-18);
    assertThat(Updates.parse(update).calibration(5)).isEqualTo(new Calibration(0.49, 3, -18, 5));
    update.setSize(AdaptiveClip.Size.GRADIENT);
    Calibration moving = Updates.parse(update).calibration(5);
    assertThat(moving).isEqualTo(new Calibration(0.49, 3, -18, 5, true));
    double mu = moving.gaussian(1, 1e-6).mu();
    for (double clip : new double[] {1e-4, 0.25, 0.3, 0.4999, 8}) {
      int exponent = Math.getExponent(clip) - 16;
      assertThat(new Calibration(clip, 3, exponent, 5).gaussian(1, 1e-6).mu())
          .isGreaterThanOrEqualTo(mu);
    }
  }

  @Test
  void cannotBeChanged() {
    ModelSnapshot snapshot = Updates.snapshot("m", 0, 1, 2);
    snapshot.weights()[0] = 9;
    snapshot.average()[0] = 9;
    assertThat(snapshot.weights()).containsExactly(1, 2);
    assertThat(snapshot.average()).containsExactly(0.5, 1);
    assertThatThrownBy(() -> snapshot.diagnostics().put("x", 1.0))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void everyoneAnswersWhereNoProbabilityIsStated() {
    ModelUpdate update = Updates.update("m", 0, 1).clearAnswerProbability().build();
    assertThat(ModelSnapshot.parse(update.toByteArray()).answerProbability()).isEqualTo(1);
  }

  /** A writer may split a packed field. */
  @Test
  void joinsVectorsThatComeInRuns() throws Exception {
    byte[] bytes = Updates.update("m", 0, 1, 2, 3).build().toByteArray();
    ModelUpdateView view = ModelUpdateView.parseFrom(bytes);
    ByteString weights = view.getWeights(0);
    byte[] split =
        view.toBuilder()
            .clearWeights()
            .addWeights(weights.substring(0, 16))
            .addWeights(weights.substring(16))
            .build()
            .toByteArray();
    assertThat(ModelSnapshot.parse(split).weights()).containsExactly(1, 2, 3);
  }

  @Test
  void refusesInvalidUpdatesWithAReason() {
    assertRefused(Updates.update("", 0, 1), "model_id is missing");
    assertRefused(Updates.update("m", 0, 1).clearRound(), "round is missing");
    assertRefused(Updates.update("m", -1, 1), "round is missing or negative");
    assertRefused(Updates.update("m", 0), "weights are missing");
    assertRefused(
        Updates.update("m", 0, 1).addWeights(2), "average has 1 coordinates; weights have 2");
    assertRefused(Updates.update("m", 0, Double.NaN), "weights has a value that is not finite");
    assertRefused(Updates.update("m", 0, 1).clearGridExponent(), "grid_exponent is missing");
    assertRefused(Updates.update("m", 0, 1).clearGradientBound(), "gradient_bound is missing");
    for (double bound : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertRefused(
          Updates.update("m", 0, 1).setGradientBound(bound),
          "gradient_bound is missing, or not positive and finite");
    }
    for (double probability : new double[] {-0.1, 1.1, Double.NaN}) {
      assertRefused(
          Updates.update("m", 0, 1).setAnswerProbability(probability),
          "answer_probability is " + probability + "; it must be from 0 to 1");
      assertRefused(
          Updates.update("m", 0, 1)
              .setSize(AdaptiveClip.Size.GRADIENT)
              .setQuestionProbability(probability),
          "question_probability is " + probability + "; it must be from 0 to 1");
    }
    assertRefused(
        Updates.update("m", 0, 1).setSize(AdaptiveClip.Size.FEATURES),
        "slope_bound is missing, or not positive and finite, with size FEATURES");
    assertRefused(
        Updates.update("m", 0, 1)
            .setSize(AdaptiveClip.Size.FEATURES)
            .setSlopeBound(Double.POSITIVE_INFINITY),
        "slope_bound");
    assertRefused(
        Updates.update("m", 0, 1).setSize(AdaptiveClip.Size.GRADIENT).setGridExponent(-15),
        "grid_exponent is -15; with size it must be -16, that of gradient_bound 1.0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ModelSnapshot.parse(new byte[] {(byte) 0xff}))
        .withMessageContaining("not a ModelUpdate");
    byte[] torn =
        ModelUpdateView.newBuilder()
            .setModelId("m")
            .setRound(0)
            .setGridExponent(0)
            .setGradientBound(1)
            .addWeights(ByteString.copyFrom(new byte[7]))
            .build()
            .toByteArray();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ModelSnapshot.parse(torn))
        .withMessageContaining("weights ends within a value");
  }

  private static void assertRefused(ModelUpdate.Builder update, String reason) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Updates.parse(update))
        .withMessageContaining(reason);
  }
}
