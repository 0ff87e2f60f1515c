package io.croupier.cli.follow;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.JsonFormat;
import io.croupier.client.ModelSnapshot;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.ModelUpdate;
import org.junit.jupiter.api.Test;

class FollowCommandTest {
  private static ModelUpdate.Builder update() {
    return ModelUpdate.newBuilder()
        .setModelId("m")
        .setRound(3)
        .addWeights(1)
        .addAverage(0.5)
        .setUsed(9)
        .setDroppedStale(1)
        .setDroppedUnpublished(2)
        .setOpen(4)
        .setGridExponent(-16)
        .setGradientBound(1)
        .setAnswerProbability(0.5)
        .putDiagnostics("magnitude", 2)
        .setPublishedAtMs(7);
  }

  private static ModelUpdate printed(ModelUpdate update) {
    return FollowCommand.update(ModelSnapshot.parse(update.toByteArray()));
  }

  @Test
  void printsTheWholeUpdate() {
    assertThat(printed(update().build())).isEqualTo(update().build());
  }

  /** Also those of a kind that only a newer device knows. */
  @Test
  void printsTheFeatures() {
    ModelUpdate.Builder update = update();
    update.addFeaturesBuilder().setName("walked").getRangeBuilder().setFrom(0).setTo(180);
    update.addFeaturesBuilder().setName("newer");
    assertThat(printed(update.build())).isEqualTo(update.build());
  }

  @Test
  void printsARoundAgainThatServesAnotherAverage() {
    ModelSnapshot printed = ModelSnapshot.parse(update().build().toByteArray());
    ModelUpdate counted = update().setUsed(10).build();
    ModelUpdate rolledBack = update().setAverageRound(1).build();
    assertThat(FollowCommand.isSame(ModelSnapshot.parse(counted.toByteArray()), printed)).isTrue();
    ModelSnapshot served = ModelSnapshot.parse(rolledBack.toByteArray());
    assertThat(FollowCommand.isSame(served, printed)).isFalse();
    assertThat(FollowCommand.isSame(printed, served)).isFalse();
    assertThat(printed(rolledBack)).isEqualTo(rolledBack);
  }

  @Test
  void printsEstimates() {
    ModelUpdate.Builder update = update().setQuestionProbability(0.02).setAnswers(570);
    update
        .addEstimatesBuilder()
        .setFraction(0.73)
        .setStandardError(0.02)
        .setLow(0.69)
        .setHigh(0.77)
        .setAnswers(563)
        .getQuestionBuilder()
        .setName("accuracy")
        .getAccuracyBuilder();
    update.addEstimatesBuilder().getQuestionBuilder().setName("loss").getLossAboveBuilder();
    assertThat(printed(update.build())).isEqualTo(update.build());
  }

  @Test
  void printsTheMovingClip() {
    ModelUpdate.Builder update =
        update()
            .setSize(AdaptiveClip.Size.FEATURES)
            .setSlopeBound(0.5)
            .setDroppedBound(0)
            .setQuestionProbability(1)
            .setAnswers(12);
    assertThat(printed(update.build())).isEqualTo(update.build());
    update.setSize(AdaptiveClip.Size.GRADIENT).clearSlopeBound();
    assertThat(printed(update.build())).isEqualTo(update.build());
  }

  /** A newer job may bound other sizes. */
  @Test
  void printsASizeThatItDoesNotKnowAsItsNumber() throws Exception {
    ModelUpdate update =
        update()
            .setSizeValue(7)
            .setDroppedBound(0)
            .setQuestionProbability(0.02)
            .setAnswers(12)
            .build();
    assertThat(printed(update)).isEqualTo(update);
    assertThat(JsonFormat.printer().print(printed(update))).contains("\"size\": 7");
  }
}
