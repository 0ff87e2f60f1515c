package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.view.ModelUpdateView;
import org.junit.jupiter.api.Test;

class ModelSnapshotTest {

  @Test
  void containsTheUpdatesFields() {
    ModelSnapshot snapshot =
        ModelSnapshot.parse(
            Updates.update("m", 7, 1, -2.5)
                .setUsed(6)
                .setDroppedStale(5)
                .setDroppedUnpublished(4)
                .setOpen(3)
                .setGridExponent(-20)
                .setGradientBound(0.25)
                .setAnswerProbability(0.5)
                .putDiagnostics("magnitude", 1.5)
                .setPublishedAtMs(99)
                .build()
                .toByteArray());
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
    assertRefused(Updates.update("m", 0, 1).setGradientBound(Double.NaN), "gradient_bound");
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
        .isThrownBy(() -> ModelSnapshot.parse(update.build().toByteArray()))
        .withMessageContaining(reason);
  }
}
