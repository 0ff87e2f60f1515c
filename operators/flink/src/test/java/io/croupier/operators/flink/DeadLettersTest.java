package io.croupier.operators.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.operators.flink.OutboundRecord.Destination;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeadLettersTest {
  private static final int MAX = 10_000;

  private final DeadLetters deadLetters = new DeadLetters(MAX);

  private static RawRecord record(byte[] key, byte[] value) {
    RawRecord record = new RawRecord();
    record.topic = "gradients";
    record.partition = 3;
    record.offset = 1L << 40;
    record.key = key;
    record.value = value;
    return record;
  }

  private OutboundRecord letter(byte[] key, byte[] value) {
    return deadLetters.of(record(key, value), Destination.DEAD_LETTERS, "no good", false);
  }

  /**
   * Returns the size of the record on its topic; Kafka's own framing is at most 150 bytes per
   * record.
   */
  private static int size(OutboundRecord letter) {
    int size = 150;
    for (int i = 0; i < letter.headerNames.length; i++) {
      size += letter.headerNames[i].length() + letter.headerValues[i].length + 2 * 5;
    }
    size += letter.key == null ? 0 : letter.key.length;
    return size + (letter.value == null ? 0 : letter.value.length);
  }

  private static void assertHasReasonAndPosition(OutboundRecord letter) {
    assertThat(letter.headerNames)
        .containsExactly(
            DeadLetters.REASON, DeadLetters.TOPIC, DeadLetters.PARTITION, DeadLetters.OFFSET)
        .extracting(name -> TestRecords.header(letter, name))
        .containsExactly("no good", "gradients", "3", "1099511627776");
  }

  @Test
  void usageExample() {
    OutboundRecord letter = letter(new byte[] {1}, new byte[] {2, 3});

    assertThat(letter.destination).isEqualTo(Destination.DEAD_LETTERS);
    assertThat(letter.key).containsExactly(1);
    assertThat(letter.value).containsExactly(2, 3);
    assertHasReasonAndPosition(letter);
  }

  @Test
  void aMissingKeyOrValueStaysMissing() {
    assertThat(letter(null, new byte[] {2}).key).isNull();
    OutboundRecord letter = letter(new byte[] {1}, null);
    assertThat(letter.key).containsExactly(1);
    assertThat(letter.value).isNull();
    assertThat(TestRecords.header(letter, DeadLetters.LENGTH)).isNull();
    assertThat(letter(null, null).headerNames).hasSize(4);
  }

  /** A digest of a gradient with few possible values identifies it, and so may its length. */
  @ParameterizedTest
  @ValueSource(ints = {0, 3, MAX})
  void theLetterOfAWithheldRecordHasOnlyTheReasonAndThePosition(int length) {
    for (byte[] key : new byte[][] {{1}, {1, 2}, new byte[MAX], null}) {
      OutboundRecord letter =
          deadLetters.of(record(key, new byte[length]), Destination.DEAD_LETTERS, "no good", true);
      assertThat(letter.key).isNull();
      assertThat(letter.value).isNull();
      assertHasReasonAndPosition(letter);
    }
  }

  @Test
  void aValueThatWouldNotFitIsReplacedByItsLengthAndDigest() {
    OutboundRecord letter = letter(new byte[] {1}, new byte[MAX]);
    assertThat(letter.value).isNull();
    assertThat(letter.key).containsExactly(1);
    assertThat(TestRecords.header(letter, DeadLetters.LENGTH)).isEqualTo("10000");
    assertThat(TestRecords.header(letter, DeadLetters.SHA256))
        .as("sha256sum of 10,000 bytes of 0")
        .isEqualTo("95b532cc4381affdff0d956e12520a04129ed49d37e154228368fe5621f0b9a2");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 8500, 8900, 9000, 9100, 9200, 9300, 9400, 9500, 9600, 9700, 9800, MAX})
  void everyLetterFits(int length) {
    byte[] bytes = new byte[length];
    for (RawRecord record :
        List.of(record(bytes, bytes), record(bytes, null), record(null, bytes))) {
      for (String reason : List.of("no good", "é".repeat(200), "\u20ac".repeat(100_000))) {
        for (boolean withheld : new boolean[] {true, false}) {
          OutboundRecord letter =
              deadLetters.of(record, Destination.DEAD_LETTERS, reason, withheld);
          assertThat(size(letter)).isLessThanOrEqualTo(MAX);
          assertThat(TestRecords.header(letter, DeadLetters.REASON))
              .startsWith(reason.substring(0, 7));
        }
      }
    }
  }

  @Test
  void aTopicWithTooSmallRecordsIsRefused() {
    assertThatThrownBy(() -> new DeadLetters(100))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("records of 100 bytes", "max.message.bytes must be at least");
  }
}
