package io.croupier.operators.flink.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.croupier.schemas.JournalEntry;
import io.croupier.schemas.JournalEntry.Bundle;
import io.croupier.schemas.Position;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JournalSettingsTest {
  /** Kafka's overhead on key and value of a record that is alone in its batch. */
  private static final int KAFKA_FRAMING = 61 + 25;

  @ParameterizedTest
  @CsvSource({"1, 415", "1, 1048588", "18, 5000", "18, 1048588", "249, 663", "249, 50000"})
  void theLongestBundleOfTheMostPositionsFits(int topicLength, int maxRecordBytes) {
    String topic = "t".repeat(topicLength);
    JournalSettings settings = JournalSettings.on(topic, maxRecordBytes);
    assertThat(settings.mostPositions()).isPositive();

    Position longest =
        Position.newBuilder()
            .setTopic(topic)
            .setPartition(Integer.MAX_VALUE)
            .setOffset(Long.MAX_VALUE)
            .build();
    Bundle.Builder bundle =
        Bundle.newBuilder()
            .setNamedRound(Long.MAX_VALUE)
            .setClosedRound(Long.MAX_VALUE)
            .setPublished(true)
            .setOutcome(Bundle.Outcome.DROPPED_UNPUBLISHED)
            .setRoundHeld(true);
    for (int i = 0; i < settings.mostPositions(); i++) {
      bundle.addPositions(longest);
    }
    String modelId = "m".repeat(100);
    int value =
        JournalEntry.newBuilder()
            .setModelId(modelId)
            .addBundles(bundle)
            .build()
            .getSerializedSize();
    assertThat(value).isLessThanOrEqualTo(settings.entryBytes());
    assertThat(value + modelId.length() + KAFKA_FRAMING).isLessThanOrEqualTo(maxRecordBytes);
  }

  @ParameterizedTest
  @CsvSource({"9, 422, 423", "249, 100, 663"})
  void aTopicWithRecordsTooSmallForAPositionIsRefused(
      int topicLength, int maxRecordBytes, int least) {
    String topic = "t".repeat(topicLength);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JournalSettings.on(topic, maxRecordBytes))
        .withMessage(
            "The journal topic accepts records of %d bytes at most; its max.message.bytes must be at"
                + " least %d",
            maxRecordBytes, least);
    assertThat(JournalSettings.on(topic, least).mostPositions()).isOne();
  }

  @Test
  void withoutAJournalBundlesMayBeAnySize() {
    assertThat(JournalSettings.OFF.mostPositions()).isEqualTo(Integer.MAX_VALUE);
    assertThat(JournalSettings.OFF.enabled()).isFalse();
  }
}
