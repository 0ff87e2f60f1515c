package io.croupier.job.restart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TextFormat;
import com.google.protobuf.WireFormat;
import io.croupier.operators.flink.restart.RefusedStartException;
import io.croupier.operators.flink.restart.VisibleOutputs.PublishedRound;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.Central;
import io.croupier.schemas.ModelUpdate;
import java.util.Arrays;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Records that other programs may have written to the accounting topic. */
class KafkaVisibleOutputsTest {
  private static final String EVENT =
      "model_id: 'm' user_id: 'secret' device_id: 'd' sequence: 3 outcome: ADMITTED undisclosed {}"
          + " source { topic: 'gradients' partition: 2 offset: 5 }";

  private static final byte[] KEY = "model".getBytes(UTF_8);

  private static AccountingEvent event(String change) throws TextFormat.ParseException {
    AccountingEvent.Builder event = TextFormat.parse(EVENT, AccountingEvent.class).toBuilder();
    TextFormat.merge(change, event);
    return event.build();
  }

  private static ConsumerRecord<byte[], byte[]> record(byte[] value) {
    return new ConsumerRecord<>("accounts", 1, 7, "secret".getBytes(UTF_8), value);
  }

  private static void assertRefused(byte[] value, String why) {
    assertThatExceptionOfType(RefusedStartException.class)
        .isThrownBy(() -> KafkaVisibleOutputs.event(record(value)))
        .withMessageContainingAll(
            "The record at accounts-1@7 is not an AccountingEvent of a ledger: " + why,
            "topics.accounting")
        .withMessageNotContaining("secret");
  }

  @Test
  void readsEventsOfALedger() throws Exception {
    AccountingEvent event = event("");
    assertThat(KafkaVisibleOutputs.event(record(event.toByteArray()))).isEqualTo(event);
  }

  /** In version 2 the key contains the user, and the declaration implies the usual topic. */
  @ParameterizedTest
  @CsvSource({"false, croupier.gradients", "true, croupier.raw-gradients"})
  void readsSlimEventsOfALedger(boolean central, String topic) throws Exception {
    AccountingEvent.Builder event = event("").toBuilder().setUserId("secret");
    if (central) {
      event.setCentral(Central.getDefaultInstance());
    }
    event.getSourceBuilder().setTopic(topic);
    byte[] slim = new AccountingEventWriter().write(event.build());

    assertThat(AccountingEvent.parseFrom(slim).getSource().hasTopic()).isFalse();
    byte[] key = AccountingKey.of(event.build());
    assertThat(
            KafkaVisibleOutputs.event(new ConsumerRecord<>("accounting", 1, 7, key, slim))
                .getSource())
        .isEqualTo(event.getSource());
  }

  /** Its round can be read, but not what is inside: it must not end the start of a job. */
  @Test
  void anUpdateThatBreaksWithinAFieldIsSkipped() {
    byte[] start = ModelUpdate.newBuilder().setRound(3).build().toByteArray();
    byte[] update = Arrays.copyOf(start, start.length + 3);
    // An estimate of one byte, which is no tag.
    update[start.length] = (byte) (ModelUpdate.ESTIMATES_FIELD_NUMBER << 3 | 2);
    update[start.length + 1] = 1;
    ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>("updates", 1, 7, KEY, update);

    assertThat(KafkaVisibleOutputs.round(record)).isPresent();
    assertThat(KafkaVisibleOutputs.update(record)).isEmpty();
  }

  @Test
  void readsTheRoundOfAnUpdate() throws Exception {
    byte[] update = ModelUpdate.newBuilder().setRound(3).setPublishedAtMs(5).build().toByteArray();

    assertThat(KafkaVisibleOutputs.round(new ConsumerRecord<>("updates", 1, 7, KEY, update)))
        .contains(new PublishedRound("model", 3, 5));
    assertThat(KafkaVisibleOutputs.round(new ConsumerRecord<>("updates", 1, 7, KEY, null)))
        .isEmpty();
    assertThat(KafkaVisibleOutputs.round(new ConsumerRecord<>("updates", 1, 7, null, update)))
        .isEmpty();
    byte[] cutShort = Arrays.copyOf(update, update.length - 1);
    assertThat(KafkaVisibleOutputs.round(new ConsumerRecord<>("updates", 1, 7, KEY, cutShort)))
        .isEmpty();
  }

  /** The vectors of large updates are skipped: here they are too short for any number. */
  @Test
  void readsTheRoundWithoutTheVectors() {
    int[] vectors = {ModelUpdate.WEIGHTS_FIELD_NUMBER, ModelUpdate.AVERAGE_FIELD_NUMBER};
    ByteString update = ModelUpdate.newBuilder().setRound(3).build().toByteString();
    for (int vector : vectors) {
      byte[] field = {(byte) (vector << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED), 2, 0, 0};
      update = update.concat(ByteString.copyFrom(field));
    }
    update = update.concat(ModelUpdate.newBuilder().setPublishedAtMs(5).build().toByteString());
    byte[] value = update.toByteArray();

    assertThatExceptionOfType(InvalidProtocolBufferException.class)
        .isThrownBy(() -> ModelUpdate.parseFrom(value));
    assertThat(KafkaVisibleOutputs.round(new ConsumerRecord<>("updates", 1, 7, KEY, value)))
        .contains(new PublishedRound("model", 3, 5));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "source { partition: -1 }         | source.partition is -1: it must be from 0 to 999999",
        "source { partition: 2147483647 } | source.partition is 2147483647: it must be from 0",
        "source { partition: 1000000 }    | source.partition is 1000000: it must be from 0 to",
        "source { offset: -1 }            | source.offset is -1: it must be at least 0",
        "source { topic: '' }             | source.topic is of 0 characters: it must be a topic's",
        "sequence: -1                     | sequence is -1: it must be at least 0",
        "user_id: ''                      | user_id must be 1 to 256 bytes long",
        "model_id: 'a b'                  | model_id must be 1 to 100 letters",
        "outcome: OUTCOME_UNSPECIFIED     | outcome is OUTCOME_UNSPECIFIED: it must be the outcome",
      })
  void refusesWhatNoLedgerWrites(String change, String why) throws Exception {
    assertRefused(event(change).toByteArray(), why);
  }

  @Test
  void refusesRecordsThatAreNoEvents() throws Exception {
    assertRefused(new byte[0], "it can't be parsed");
    assertRefused("secret".getBytes(UTF_8), "it can't be parsed");
    assertRefused(
        event("").toBuilder().clearSource().build().toByteArray(), "source is missing: it must be");
  }
}
