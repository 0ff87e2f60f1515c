package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.protobuf.ByteString;
import com.google.protobuf.util.JsonFormat;
import io.croupier.cli.models.ModelsFile;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.operators.report.ErasureDecoder;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.Topics;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A name is refused where it enters, or is the same in each layer: two names never become one. */
class NamesTest {
  @TempDir private Path directory;

  /** Among them names that look alike, and those that a shell, a path, a URL or JSON changes. */
  static Stream<String> userIds() {
    return Stream.of(
        "a",
        "A",
        "Zo\u00eb",
        "Zoe\u0308",
        "Zo\u00f6",
        "\u0430",
        "\ud83d\ude00",
        "a b",
        "a  b",
        " a",
        "a ",
        "a\u00a0b",
        "a\nb",
        "a\u0000",
        "\u001b[31ma",
        "a\u202e",
        "a/b",
        "a%2Fb",
        "a%252Fb",
        "..",
        "-a",
        "@a",
        "\"a\"",
        "'a'",
        "\\u0061",
        "${user.name}",
        "0123",
        "1e2",
        "null",
        "\u00e9".repeat(128));
  }

  @ParameterizedTest
  @MethodSource("userIds")
  void aUserIdIsTheSameInEachLayer(String id) throws Exception {
    assertThat(
            Croupier.commandLine()
                .parseArgs("ledger", "--kafka=a:1", "--user=" + id)
                .subcommand()
                .matchedOption("--user")
                .<String>getValue())
        .isEqualTo(id);
    try (LocalLedger ledger = LocalLedger.open(directory.resolve("l"), id, Limit.ofEpsilon(1))) {
      assertThat(ledger.userId()).isEqualTo(id);
    }
    try (LocalLedger ledger = LocalLedger.open(directory.resolve("l"), id, Limit.ofEpsilon(1))) {
      assertThat(ledger.userId()).isEqualTo(id);
    }
    GradientReport report = GradientReport.newBuilder().setUserId(id).setDeviceId(id).build();
    assertThat(GradientReport.parseFrom(report.toByteArray())).isEqualTo(report);
    GradientReport.Builder json = GradientReport.newBuilder();
    JsonFormat.parser().merge(JsonFormat.printer().print(report), json);
    assertThat(json.build()).isEqualTo(report);
    AccountingKey key =
        AccountingKey.parse(
            AccountingKey.of(AccountingEvent.newBuilder().setUserId(id).setDeviceId(id).build()));
    assertThat(key.userId()).isEqualTo(id);
    assertThat(key.deviceId()).isEqualTo(id);
    assertThat(ErasureDecoder.decode(id.getBytes(UTF_8), null, Source.unknown(0)))
        .isInstanceOfSatisfying(
            Received.Erasure.class, read -> assertThat(read.userId()).isEqualTo(id));
  }

  @Test
  void noTwoUserIdsAreOne() {
    Set<ByteString> seen = new HashSet<>();
    assertThat(userIds().map(ByteString::copyFromUtf8)).allMatch(seen::add);
  }

  /** UTF-8 has no half of a surrogate pair: the ledger would know two people by one byte. */
  @ParameterizedTest
  @ValueSource(strings = {"", "\ud800", "a\udc00", "\ude00\ud83d"})
  void aUserIdThatALayerCannotWriteIsRefused(String id) {
    assertThat(GradientReports.isUserId(id)).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LocalLedger.inMemory(id, Limit.ofEpsilon(1)));
    assertThat(run("erase", "--kafka", "a:1", "--user", id).code()).isEqualTo(1);
    assertThat(GradientReports.isDeviceId(id)).isEqualTo(id.isEmpty());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a", "A", "a.b", "a-b", "a_b", "...", ".a", "a-", "1.10", "0123", "null.1"})
  void aModelIdIsTheSameInEachLayer(String id) throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("m.yaml"),
            "- {modelId: %s, dimension: 1, gradientBound: 1, blackBox: {}}".formatted(id));
    ModelSpec spec = ModelsFile.readValid(file).get(0);
    assertThat(spec.getModelId()).isEqualTo(id);
    assertThat(ModelsFile.text(List.of(spec))).contains("\"" + id + "\"");
    assertThat(URI.create("https://h/v1/models/" + id).normalize().getPath()).endsWith("/" + id);
    assertThat(Topics.withPrefix(id).all()).allSatisfy(Topics::requireName);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "..",
        "a/b",
        "a%2Fb",
        "a?b",
        "a#b",
        "a b",
        "a\n",
        "a:b",
        "a+",
        "Zo\u00eb",
        "\u0430",
        "\u0661",
        "a\u202e"
      })
  void aModelIdThatALayerChangesIsRefused(String id) {
    assertThat(GradientReports.isModelId(id)).isFalse();
    assertThat(ModelSpecs.violations(ModelSpec.newBuilder().setModelId(id).build()))
        .anyMatch(violation -> violation.startsWith("model_id is "));
    assertThat(run("follow", "--kafka", "a:1", "--model", id).err()).startsWith("--model is '");
    assertThatIllegalArgumentException().isThrownBy(() -> Topics.requireName(id));
  }

  private static CommandRun run(String... arguments) {
    return CommandRun.croupier("", arguments);
  }
}
