package io.croupier.operators.flink.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.operators.flink.DeadLetters;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.report.DigestKey;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.Central;
import io.croupier.schemas.Dense;
import io.croupier.schemas.Erasure;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.L2Laplace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordDecoderTest {
  private static final GradientReport REPORT =
      GradientReport.newBuilder()
          .setModelId("m")
          .setRound(3)
          .setUserId("u")
          .setSequence(9)
          .setDense(Dense.newBuilder().addValues(0.5).addValues(-1))
          .setL2Laplace(L2Laplace.newBuilder().setEpsilon(2))
          .build();
  private static final GradientReport RAW =
      REPORT.toBuilder().setCentral(Central.getDefaultInstance()).build();

  private final RecordDecoder decoder =
      new RecordDecoder(
          TestRecords.TOPICS,
          TestRecords.DEAD_LETTERS,
          DigestKey.NONE,
          new UnregisteredMetricsGroup());
  private final List<Received> received = new ArrayList<>();
  private final List<OutboundRecord> deadLetters = new ArrayList<>();

  private void receive(String topic, byte[] value) {
    receive(topic, "u".getBytes(UTF_8), value);
  }

  private void receive(String topic, byte[] key, byte[] value) {
    RawRecord record = new RawRecord();
    record.topic = topic;
    record.partition = 2;
    record.offset = 40;
    record.key = key;
    record.value = value;
    record.appendedAtMs = 70;
    received.add(decoder.decode(record, deadLetters::add));
  }

  @Test
  void usageExample() {
    receive("gradients", REPORT.toByteArray());
    receive("raw-gradients", RAW.toByteArray());

    assertThat(deadLetters).isEmpty();
    assertThat(received)
        .map(Report.class::cast)
        .extracting(Report::mechanism, report -> report.header().userId(), Report::source)
        .containsExactly(
            tuple(new L2LaplaceMechanism(2, 2), "u", new Source("gradients", 2, 40, 70)),
            tuple(CentralNoise.CENTRAL, "u", new Source("raw-gradients", 2, 40, 70)));
  }

  @Test
  void aRecordThatIsNoReportBecomesADeadLetterAndTheNextIsRead() {
    byte[] invalid = REPORT.toBuilder().clearModelId().build().toByteArray();
    receive("gradients", invalid);
    receive("gradients", null);
    receive("gradients", REPORT.toByteArray());

    assertThat(received.get(2)).isInstanceOf(Report.class);
    assertThat(deadLetters).hasSize(2);
    OutboundRecord letter = deadLetters.get(0);
    assertThat(letter.destination).isEqualTo(Destination.DEAD_LETTERS);
    assertThat(letter.value).isEqualTo(invalid);
    assertThat(TestRecords.header(letter, DeadLetters.REASON)).startsWith("model_id ");
    assertThat(TestRecords.header(letter, DeadLetters.TOPIC)).isEqualTo("gradients");
    assertThat(TestRecords.header(letter, DeadLetters.PARTITION)).isEqualTo("2");
    assertThat(TestRecords.header(letter, DeadLetters.OFFSET)).isEqualTo("40");
    assertThat(deadLetters.get(1).value).isNull();
  }

  @Test
  void anErasureHasAUserAndNothingElse() {
    receive("erasures", null);
    receive("erasures", "zoë".getBytes(UTF_8), new byte[0]);

    Source source = new Source("erasures", 2, 40, 70);
    assertThat(received)
        .containsExactly(new Received.Erasure("u", source), new Received.Erasure("zoë", source));
    assertThat(deadLetters).isEmpty();
  }

  @Test
  void anErasureNamesEventsOfItsUserAlone() {
    byte[] key = "m/d/u".getBytes(UTF_8);
    ByteString other = ByteString.copyFromUtf8("m/d/v");
    Erasure.Builder erasure = Erasure.newBuilder().addEventKeys(ByteString.copyFrom(key));
    receive("erasures", erasure.setTotals(true).build().toByteArray());
    receive("erasures", erasure.addEventKeys(other).build().toByteArray());

    assertThat(received.get(0))
        .isInstanceOfSatisfying(
            Received.Erasure.class,
            read -> {
              assertThat(read.userId()).isEqualTo("u");
              assertThat(read.eventKeys()).containsExactly(key);
              assertThat(read.totals()).isTrue();
            });
    assertThat(received.get(1)).isInstanceOf(Received.Malformed.class);
    assertThat(TestRecords.header(deadLetters.get(0), DeadLetters.REASON))
        .isEqualTo("a key of event_keys is another user's: all must be the erased one's");

    ByteString ofErasure = ByteString.copyFrom(AccountingKey.ofErasure("u"));
    receive("erasures", Erasure.newBuilder().addEventKeys(ofErasure).build().toByteArray());
    assertThat(TestRecords.header(deadLetters.get(1), DeadLetters.REASON))
        .isEqualTo("a key of event_keys is that of an erasure: all must be of reports");
  }

  @Test
  void whatIsNoErasureErasesNothing() {
    receive("erasures", REPORT.toByteArray());
    receive("erasures", null, null);
    receive("erasures", new byte[0], null);
    receive("erasures", new byte[257], null);
    receive("erasures", new byte[] {(byte) 0xC3}, null);
    receive("gradients", null);

    assertThat(received).allMatch(Received.Malformed.class::isInstance);
    assertThat(deadLetters)
        .extracting(letter -> TestRecords.header(letter, DeadLetters.REASON))
        .containsExactly(
            "the value must be empty, or an Erasure with keys of accounting events",
            "the record's key is missing: it must be the user_id to be erased",
            "the record's key must be the user_id to be erased, of 1 to 256 bytes",
            "the record's key must be the user_id to be erased, of 1 to 256 bytes",
            "the record's key is not UTF-8: it must be the user_id to be erased",
            "value is missing: it must be a GradientReport");
    assertThat(deadLetters).allMatch(letter -> letter.destination == Destination.DEAD_LETTERS);
    assertThat(deadLetters.subList(0, 5))
        .allMatch(letter -> letter.key == null && letter.value == null);
  }

  @Test
  void deadLettersOfTheRawTopicStayUnderItsAccessRules() {
    receive("raw-gradients", REPORT.toByteArray());
    assertThat(deadLetters)
        .singleElement()
        .satisfies(
            letter -> {
              assertThat(letter.destination).isEqualTo(Destination.RAW_DEAD_LETTERS);
              assertThat(letter.value).isEqualTo(REPORT.toByteArray());
            });
  }

  /** A record that is cut off before its declaration may be a raw gradient. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 30})
  void whatMayBeARawGradientOnThePublicTopicIsNotShownAgain(int missing) {
    byte[] raw = RAW.toByteArray();
    receive("gradients", Arrays.copyOf(raw, raw.length - missing));
    assertThat(deadLetters)
        .singleElement()
        .satisfies(
            letter -> {
              assertThat(letter.destination).isEqualTo(Destination.DEAD_LETTERS);
              assertThat(letter.key).isNull();
              assertThat(letter.value).isNull();
              assertThat(letter.headerNames)
                  .containsExactly(
                      DeadLetters.REASON,
                      DeadLetters.TOPIC,
                      DeadLetters.PARTITION,
                      DeadLetters.OFFSET);
            });
    assertThat(received).allMatch(Received.Malformed.class::isInstance);
  }
}
