package io.croupier.operators.flink.restart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.restart.ProgressRecord.OfSubtask;
import io.croupier.operators.flink.restart.ProgressRecord.ProgressWriter;
import io.croupier.operators.flink.restart.VisibleOutputs.PublishedRound;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Later releases read these bytes. */
class ProgressRecordTest {
  private static final String OF_LEDGER =
      "01"
          + "0000000000000009"
          + "0000000000000002"
          + "00000001"
          + "0001"
          + "67"
          + "00000002"
          + "ffffffffffffffff"
          + "0000000000000005";

  private static String hex(OutboundRecord record) {
    return HexFormat.of().formatHex(record.value);
  }

  private static ProgressRecord read(String key, String hex) throws Exception {
    return ProgressRecord.read(key.getBytes(UTF_8), HexFormat.of().parseHex(hex));
  }

  @Test
  void theRecordOfALedgerSubtask() throws Exception {
    SourcePositions judged = new SourcePositions();
    judged.raise("g", 1, 5);
    OutboundRecord record = new OfSubtask(ProgressWriter.LEDGER, 3, 9, 2, judged).write();
    assertThat(new String(record.key, UTF_8)).isEqualTo("ledger/3");
    assertThat(hex(record)).isEqualTo(OF_LEDGER);

    OfSubtask read = (OfSubtask) ProgressRecord.read(record.key, record.value);
    assertThat(read.writer()).isEqualTo(ProgressWriter.LEDGER);
    assertThat(read.index()).isEqualTo(3);
    assertThat(read.generation()).isEqualTo(9);
    assertThat(read.count()).isEqualTo(2);
    assertThat(read.judged().highest("g", 0)).isEqualTo(-1);
    assertThat(read.judged().highest("g", 1)).isEqualTo(5);
  }

  @Test
  void theRecordOfALearnerSubtask() throws Exception {
    OutboundRecord record =
        new OfSubtask(ProgressWriter.LEARNER, 12, 9, 2, new SourcePositions()).write();
    assertThat(new String(record.key, UTF_8)).isEqualTo("learner/12");
    OfSubtask read = (OfSubtask) ProgressRecord.read(record.key, record.value);
    assertThat(read.writer()).isEqualTo(ProgressWriter.LEARNER);
    assertThat(read.index()).isEqualTo(12);
    assertThat(read.judged().size()).isZero();
  }

  @Test
  void theRecordOfAModel() throws Exception {
    OutboundRecord record = new PublishedRound("ledger", 7, 1_000).write();
    assertThat(new String(record.key, UTF_8)).isEqualTo("model/ledger");
    assertThat(hex(record)).isEqualTo("01" + "0000000000000007" + "00000000000003e8");
    assertThat(ProgressRecord.read(record.key, record.value))
        .isEqualTo(new PublishedRound("ledger", 7, 1_000));
  }

  @ParameterizedTest
  @CsvSource({
    "ledger/3, 02, its version is 2",
    "other/3, 01, its key is not one of a model or a subtask",
    "ledger/three, 01, its key doesn't end with the index of a subtask"
  })
  void refusesWhatNoJobOfThisReleaseWrites(String key, String hex, String why) {
    assertThatIOException().isThrownBy(() -> read(key, hex)).withMessageContaining(why);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ffffffff", "000f4241"})
  void refusesNumbersOfPartitionsThatNoTopicHas(String partitions) {
    String hex = OF_LEDGER.replace("00000002ffff", partitions + "ffff");
    assertThat(hex).isNotEqualTo(OF_LEDGER);
    assertThatIOException()
        .isThrownBy(() -> read("ledger/3", hex))
        .withMessageContaining("partitions of a topic");
  }

  @Test
  void refusesARecordThatIsCutShort() {
    byte[] whole = HexFormat.of().parseHex(OF_LEDGER);
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatIOException()
          .as("%d bytes", length)
          .isThrownBy(() -> ProgressRecord.read("ledger/3".getBytes(UTF_8), cut));
    }
  }
}
