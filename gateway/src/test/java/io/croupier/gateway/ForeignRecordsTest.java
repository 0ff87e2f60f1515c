package io.croupier.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.google.protobuf.ByteString;
import io.croupier.gateway.anonymous.TokenKeys;
import io.croupier.gateway.http.AccountParts;
import io.croupier.gateway.kafka.Answers;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.schemas.Account;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.Choice;
import io.croupier.schemas.Grant;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.TokenKey;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Whatever another program writes to a topic that gateways follow, they skip it and continue. */
class ForeignRecordsTest {
  private static final long SEED = 3;
  private static final int RECORDS = Integer.getInteger("records", 2000);

  private static final ModelSpec SPEC =
      ModelSpec.newBuilder()
          .setModelId("m")
          .setDimension(3)
          .setGradientBound(1)
          .setBlackBox(BlackBox.getDefaultInstance())
          .setLimits(Limits.newBuilder().setEpsilon(4).setPerDays(7))
          .setAnswerProbability(0.5)
          .addStatistics(
              Statistic.newBuilder()
                  .setName("s")
                  .setChoice(Choice.newBuilder().addCategories("a").addCategories("b")))
          .build();

  private static final ModelUpdate UPDATE =
      ModelUpdate.newBuilder()
          .setModelId("m")
          .setRound(5)
          .setGradientBound(1)
          .setGridExponent(-16)
          .addAllWeights(List.of(1.0, 2.0, 3.0))
          .addAllAverage(List.of(1.0, 2.0, 3.0))
          .putDiagnostics("half-life", 2.0)
          .build();

  /** A reader of a topic, with a valid record. */
  private record Reader(
      String topic, String key, ByteString value, Consumer<ConsumerRecord<byte[], byte[]>> apply) {
    @Override
    public String toString() {
      return topic;
    }
  }

  static final List<Reader> READERS =
      List.of(
          new Reader("models", "m", SPEC.toByteString(), new Specs()::apply),
          new Reader("updates", "m", UPDATE.toByteString(), new Updates()::apply),
          new Reader(
              "grants",
              "",
              Grant.newBuilder().setTag(ByteString.copyFromUtf8("tag")).build().toByteString(),
              new Answers<ByteString, Grant>(Grant::parseFrom, (key, grant) -> grant.getTag())
                  ::apply),
          new Reader(
              "account-answers",
              "user",
              Account.newBuilder().setTag(ByteString.copyFromUtf8("tag")).build().toByteString(),
              AccountParts.noAnswers()::apply),
          new Reader(
              "token-keys",
              "m/3/x",
              TokenKey.newBuilder()
                  .setModulus(ByteString.copyFrom(new byte[256]))
                  .build()
                  .toByteString(),
              new TokenKeys()::apply));

  @ParameterizedTest
  @FieldSource("READERS")
  void anyRecordIsReadOrSkipped(Reader reader) {
    Random random = new Random(SEED);
    try (LogLines log = new LogLines(Level.WARN)) {
      for (int i = 0; i < RECORDS; i++) {
        byte[] key = changed(reader.key.getBytes(UTF_8), random);
        byte[] value = changed(reader.value.toByteArray(), random);
        assertThatCode(() -> reader.apply.accept(record(reader.topic, key, value)))
            .as("record %d of seed %d", i, SEED)
            .doesNotThrowAnyException();
      }
      assertThat(log.lines()).isNotEmpty().hasSizeLessThan(20);
      assertThat(log.lines().get(0))
          .contains("Topic " + reader.topic + ", partition 2, offset ", "the record is skipped");
    }
  }

  private long offset;

  private ConsumerRecord<byte[], byte[]> record(String topic, byte[] key, byte[] value) {
    return new ConsumerRecord<>(topic, 2, offset++, key, value);
  }

  private static byte[] changed(byte[] bytes, Random random) {
    if (random.nextInt(20) == 0) {
      return null;
    }
    int length = random.nextInt(4) > 0 ? bytes.length : random.nextInt(bytes.length + 4);
    byte[] changed = Arrays.copyOf(bytes, length);
    for (int changes = length == 0 ? 0 : random.nextInt(3); changes > 0; changes--) {
      changed[random.nextInt(length)] = (byte) random.nextInt();
    }
    return changed;
  }

  /** An earlier update of the model stays, and its name may contain what a terminal obeys. */
  @Test
  void aSkippedRecordIsNamedInOneLine() {
    Updates updates = new Updates();
    Specs specs = new Specs();
    try (LogLines log = new LogLines(Level.WARN)) {
      updates.apply(record("updates", "m".getBytes(UTF_8), UPDATE.toByteArray()));
      updates.apply(record("updates", "m".getBytes(UTF_8), new byte[] {-1, -1}));
      specs.apply(
          record(
              "models",
              "m\u001b[2J\n\u202e".getBytes(UTF_8),
              SPEC.toBuilder().setModelId("m\u001b[2J\n\u202e").build().toByteArray()));
      assertThat(updates.newest("m").orElseThrow().round()).isEqualTo(5);
      assertThat(log.lines()).hasSize(2);
      assertThat(log.lines().get(1)).contains("\\u001b").doesNotContain("\u001b", "\n", "\u202e");
    }
  }
}
