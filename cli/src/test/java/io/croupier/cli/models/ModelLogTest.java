package io.croupier.cli.models;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.croupier.cli.InputException;
import io.croupier.schemas.ModelSpec;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class ModelLogTest {
  private static final ModelSpec FIRST =
      ModelsFile.parse(
              "m",
              """
              - modelId: m
                dimension: 2
                gradientBound: 1
                blackBox: {}
                limits: {epsilon: 4}
                questions: [{name: right, accuracy: {}}]
              """)
          .get(0);

  private static final ModelSpec SECOND =
      ModelsFile.parse(
              "m",
              """
              - modelId: m
                dimension: 2
                gradientBound: 1
                blackBox: {}
                limits: {epsilon: 8, reports: 3}
                questions: [{name: far, lossAbove: {threshold: 2}}]
                history: {averages: 3}
                servedRound: 7
              """)
          .get(0);

  private final ModelLog log = new ModelLog(Optional.of("m"));
  private long offset;

  private void add(String modelId, byte[] value, String author) {
    RecordHeaders headers = new RecordHeaders();
    if (!author.isEmpty()) {
      headers.add(ModelLog.AUTHOR, author.getBytes(UTF_8));
    }
    log.add(
        new ConsumerRecord<>(
            "models",
            0,
            offset,
            offset * 1000,
            TimestampType.LOG_APPEND_TIME,
            0,
            0,
            modelId.getBytes(UTF_8),
            value,
            headers,
            Optional.empty()));
    offset++;
  }

  @Test
  void whoChangedWhatAndWhen() {
    add("m", FIRST.toByteArray(), "ada");
    add("other", FIRST.toBuilder().setModelId("other").build().toByteArray(), "ada");
    add("m", SECOND.toByteArray(), "bob");
    add("m", SECOND.toBuilder().setDimension(3).build().toByteArray(), "");
    add("m", FIRST.toByteArray(), "carol");
    add("m", null, "ada");

    assertThat(log.text())
        .containsPattern("1970-01-01T00:00:00Z +\\| ada +\\| m +\\| created")
        .containsPattern("00:00:02Z +\\| bob +\\| m +\\| changed +\\| .*limits.epsilon 4.0 -> 8.0")
        .contains(
            "limits.reports none -> 3; questions without right; questions with far;"
                + " history.averages none -> 3; servedRound none -> 7")
        .containsPattern("00:00:03Z +\\| - +\\| m +\\| refused +\\| dimension of a running model")
        .contains("servedRound 7 -> none")
        .containsPattern("00:00:05Z +\\| ada +\\| m +\\| retired")
        .doesNotContain("other");
    assertThat(log.json()).hasSize(5);
    JsonObject first = log.json().get(0).getAsJsonObject();
    assertThat(first.get("by").getAsString()).isEqualTo("ada");
    assertThat(ModelsFile.parse("log", "[" + first.get("spec") + "]")).containsExactly(FIRST);
    assertThat(log.json().get(2).getAsJsonObject().has("by")).isFalse();
    assertThat(log.json().get(4).getAsJsonObject().has("spec")).isFalse();
  }

  @Test
  void aModelThatTheLogLacksIsNamed() throws Exception {
    add("n", FIRST.toBuilder().setModelId("n").build().toByteArray(), "ada");
    add("k", null, "ada");
    assertThatThrownBy(log::requireModel)
        .isInstanceOf(InputException.class)
        .hasMessage("No such model: m. Models in the log: k, n");
    add("m", FIRST.toByteArray(), "ada");
    log.requireModel();
  }

  @Test
  void whatTheBrokersHaveForgottenIsCounted() {
    log.addOffsets(5);
    add("m", FIRST.toByteArray(), "ada");
    assertThat(log.forgotten()).isEqualTo(4);
  }
}
