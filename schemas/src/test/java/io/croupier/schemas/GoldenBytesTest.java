package io.croupier.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Records of earlier versions stay readable and keep their bytes. Each {@code .bin} was created
 * from the {@code .txtpb} beside it by {@code protoc --encode} 36.2, independently of this code.
 */
class GoldenBytesTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ModelSpec-local",
        "ModelSpec-central",
        "ModelSpec-priv-unit",
        "ModelSpec-questions",
        "ModelSpec-statistics",
        "ModelSpec-adaptive-clip",
        "ModelSpec-features",
        "GradientReport-dense",
        "GradientReport-grid",
        "GradientReport-sparse",
        "GradientReport-coordinate",
        "GradientReport-example",
        "GradientReport-candidate",
        "GradientReport-answer",
        "GradientReport-vote",
        "ModelUpdate",
        "ModelUpdate-estimates",
        "ModelUpdate-recent",
        "ModelUpdate-statistics",
        "ModelUpdate-adaptive-clip",
        "ModelUpdate-waits",
        "ModelUpdate-features",
        "AccountingEvent",
        "AccountingEvent-limits",
        "AccountingEvent-central",
        "AccountingEvent-blt",
        "AccountingEvent-priv-unit",
        "AccountingEvent-answer",
        "AccountingEvent-vote",
        "AccountingEvent-window",
        "GuaranteeEvent",
        "JournalEntry",
        "JournalEntry-bounds",
        "JournalEntry-waits",
        "RecordedReport",
      })
  void readsAndWritesTheBytesOfVersion1(String name) throws IOException {
    Message prototype = prototype(name.replaceFirst("-.*", ""));
    Message.Builder expected = prototype.newBuilderForType();
    TextFormat.merge(new String(bytes(name + ".txtpb"), StandardCharsets.UTF_8), expected);
    byte[] golden = bytes(name + ".bin");

    assertThat(prototype.getParserForType().parseFrom(golden)).isEqualTo(expected.build());
    assertThat(expected.build().toByteArray()).isEqualTo(golden);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"local", "priv-unit", "questions", "statistics", "adaptive-clip", "features"})
  void aGoldenSpecIsValid(String kind) throws IOException {
    ModelSpec spec = ModelSpec.parseFrom(bytes("ModelSpec-" + kind + ".bin"));
    assertThat(ModelSpecs.violations(spec)).isEmpty();
  }

  /**
   * No central model existed in that release, so specs that its noise can't support may still be
   * refused.
   */
  @Test
  void aGoldenCentralSpecIsValidButForItsRestarts() throws IOException {
    ModelSpec.Builder spec = ModelSpec.parseFrom(bytes("ModelSpec-central.bin")).toBuilder();
    assertThat(ModelSpecs.violations(spec.build()))
        .singleElement()
        .asString()
        .startsWith("dp_ftrl.restart_every is 2048");
    spec.getDpFtrlBuilder().clearRestartEvery();
    assertThat(ModelSpecs.violations(spec.build())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"dense", "grid", "sparse", "coordinate", "example", "candidate", "answer", "vote"})
  void goldenReportsAreWellFormed(String form) throws IOException {
    byte[] golden = bytes("GradientReport-" + form + ".bin");
    assertThat(GradientReports.violations(GradientReport.parseFrom(golden))).isEmpty();
  }

  private static Message prototype(String record) {
    return switch (record) {
      case "ModelSpec" -> ModelSpec.getDefaultInstance();
      case "GradientReport" -> GradientReport.getDefaultInstance();
      case "ModelUpdate" -> ModelUpdate.getDefaultInstance();
      case "AccountingEvent" -> AccountingEvent.getDefaultInstance();
      case "GuaranteeEvent" -> GuaranteeEvent.getDefaultInstance();
      case "JournalEntry" -> JournalEntry.getDefaultInstance();
      case "RecordedReport" -> RecordedReport.getDefaultInstance();
      default -> throw new IllegalArgumentException(record);
    };
  }

  private static byte[] bytes(String file) throws IOException {
    try (InputStream in = GoldenBytesTest.class.getResourceAsStream("/golden/v1/" + file)) {
      assertThat(in).as(file).isNotNull();
      return in.readAllBytes();
    }
  }
}
