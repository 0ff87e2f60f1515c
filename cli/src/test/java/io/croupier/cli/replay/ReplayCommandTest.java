package io.croupier.cli.replay;

import static io.croupier.cli.replay.ReplayFolder.json;
import static io.croupier.cli.replay.ReplayFolder.recorded;
import static io.croupier.cli.replay.ReplayFolder.report;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.croupier.cli.CommandRun;
import io.croupier.schemas.Central;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.RecordedReport;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The inputs, outputs and refusals of the command. */
class ReplayCommandTest {
  private static final String MODELS =
      """
      - {modelId: m, dimension: 2, gradientBound: 1, blackBox: {}}
      - {modelId: n, dimension: 2, gradientBound: 1, reportsPerRound: 3, blackBox: {}}
      """;

  @TempDir private Path directory;
  private ReplayFolder folder;

  @BeforeEach
  void createFolder() throws Exception {
    folder = new ReplayFolder(directory);
    folder.write("models.yaml", MODELS);
  }

  /** Reports to both models, each naming one of the last few rounds. */
  private static List<GradientReport> reports() {
    Random random = new Random(42);
    List<GradientReport> reports = new ArrayList<>();
    long[] newest = {0, 0};
    int[] open = {0, 0};
    boolean[] answered = {false, false};
    for (int i = 0; i < 60; i++) {
      int model = random.nextInt(3) > 0 ? 1 : 0;
      long round = Math.max(0, newest[model] - random.nextInt(3));
      reports.add(
          report(
                  model == 1 ? "n" : "m",
                  round,
                  "user " + i % 7,
                  i,
                  random.nextGaussian(),
                  random.nextGaussian() / 3)
              .build());
      answered[model] |= round == newest[model];
      if (++open[model] >= (model == 1 ? 3 : 1) && answered[model]) {
        newest[model]++;
        open[model] = 0;
        answered[model] = false;
      }
    }
    return reports;
  }

  /** Replays a file, named first, with more options. */
  private CommandRun replay(String reports) {
    String format = reports.contains(".bin") ? " --format protobuf" : "";
    return folder.run("--models models.yaml --reports " + reports + format);
  }

  private byte[] bytes(String name) throws Exception {
    return Files.readAllBytes(directory.resolve(name));
  }

  @Test
  void inEveryFormTheSameInputGivesTheSameBytes() throws Exception {
    List<Message> recorded = new ArrayList<>();
    for (GradientReport report : reports()) {
      recorded.add(recorded(recorded.size() * 3L, report.toBuilder()));
    }
    folder.writeJson("reports.jsonl", reports());
    folder.writeBinary("reports.bin", reports());
    folder.writeJson("recorded.jsonl", recorded);
    folder.writeBinary("recorded.bin", recorded);
    try (var out =
        new GZIPOutputStream(Files.newOutputStream(directory.resolve("reports.bin.gz")))) {
      out.write(bytes("reports.bin"));
    }
    replay("reports.jsonl --updates json.updates").succeeded();
    for (String other :
        List.of("reports.bin", "recorded.jsonl", "recorded.bin", "reports.bin.gz")) {
      replay(other + " --updates other.updates").succeeded();
      assertThat(bytes("other.updates")).as(other).isEqualTo(bytes("json.updates"));
    }
    assertThat(folder.updates("json.updates"))
        .as("both models have learned")
        .anyMatch(update -> update.getModelId().equals("m") && update.getRound() > 5)
        .anyMatch(update -> update.getModelId().equals("n") && update.getRound() > 5);

    replay("recorded.jsonl --accounting json.accounting");
    replay("recorded.bin --accounting binary.accounting");
    assertThat(bytes("binary.accounting")).isEqualTo(bytes("json.accounting"));
    assertThat(folder.events("json.accounting").get(20).getSource())
        .satisfies(
            source -> {
              assertThat(source.getTopic()).isEqualTo("gradients");
              assertThat(source.getOffset()).isEqualTo(60);
            });
  }

  @Test
  void aDeprecatedNameOfALearnerIsReplaced() throws Exception {
    folder.writeJson("reports.jsonl", reports());
    replay("reports.jsonl --updates updates.jsonl").succeeded();
    folder.write("models.yaml", MODELS.replace("blackBox", "adaptiveRadius"));

    replay("reports.jsonl --updates former.jsonl").succeeded();

    assertThat(bytes("former.jsonl")).isEqualTo(bytes("updates.jsonl"));
  }

  @Test
  void onlyTheOwnerMayReadOutputs() throws Exception {
    folder.writeJson("reports.jsonl", reports());
    replay(
        "reports.jsonl --updates updates.jsonl --accounting accounting.jsonl --dead-letters dead.jsonl");

    for (String name : List.of("updates.jsonl", "accounting.jsonl", "dead.jsonl")) {
      assertThat(Files.getPosixFilePermissions(directory.resolve(name)))
          .as(name)
          .containsExactlyInAnyOrder(
              PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    }
  }

  @Test
  void doublesKeepAllTheirDigits() throws Exception {
    folder.writeJson("reports.jsonl", reports());
    replay("reports.jsonl --updates updates.jsonl");

    assertThat(folder.lines("updates.jsonl"))
        .as("some value needs 16 or 17 digits")
        .anyMatch(line -> line.matches(".*[-,\\[]0\\.\\d{16,}[,\\]].*"));
  }

  @Test
  void badLinesAreKeptWithTheirNumbersAndStopNothing() throws Exception {
    folder.write(
        "reports.jsonl",
        String.join(
            "\n",
            json(report("m", 0, "ada", 1, 1, 0).build()),
            "",
            "{\"modelId\": \"m\", \"round\": ",
            "[1]",
            "{\"modelId\":\"m\",\"dense\":{\"values\":[0.25,\"0.125x\"]}}",
            "{\"modelId\":\"m\",\"gradient\":[0.125]}",
            json(report("m", 1, "", 2, 1, 0).build()),
            json(report("m", 1, "ada", 2, 1, Double.NaN).build()),
            "{\"report\":{\"modelId\":\"m\"}}",
            "\"undisclosed\":{}}",
            json(report("m", 1, "ada", 3, 1, 0).build())));

    CommandRun run =
        replay("reports.jsonl --updates updates.jsonl --dead-letters dead.jsonl").succeeded();
    assertThat(folder.updates("updates.jsonl")).hasSize(2 + 2);
    List<String> dead = folder.lines("dead.jsonl");
    assertThat(dead).hasSize(8);
    assertThat(dead.get(0)).startsWith("{\"line\":3,\"reason\":\"the text is not JSON\",\"text\":");
    assertThat(dead.get(1)).contains("\"line\":4,", "not a JSON object", "\"text\":\"[1]\"");
    assertThat(dead.get(2)).contains("\"line\":5,", "\"reason\":\"the value of dense.values");
    assertThat(dead.get(3)).contains("\"line\":6,", "\"reason\":\"gradient is no field of a");
    assertThat(dead.get(4)).contains("\"line\":7,", "user_id");
    assertThat(dead.get(5)).contains("\"line\":8,", "finite");
    assertThat(dead.get(6)).contains("\"line\":9,", "topic of the recorded report is missing");
    assertThat(dead.get(7)).contains("\"line\":10,", "not JSON");
    assertThat(dead)
        .as("a reason quotes no value")
        .noneMatch(line -> line.replaceAll(",\"text\".*", "").contains("125"));
    assertThat(run.out())
        .contains("8 records are not reports; the first is ", "line 3: the text is");
  }

  @Test
  void badMessagesAreKeptAsBytes() throws Exception {
    GradientReport good = report("m", 0, "ada", 1, 1, 0).build();
    try (var out = Files.newOutputStream(directory.resolve("reports.bin"))) {
      good.writeDelimitedTo(out);
      good.toBuilder().clearSequence().build().writeDelimitedTo(out);
      out.write(new byte[] {3, 'a', 'b', 'c'});
      out.write(new byte[] {100, 10, 1, 'm'});
    }

    CommandRun run = replay("reports.bin --dead-letters dead.jsonl").succeeded();
    assertThat(folder.lines("dead.jsonl"))
        .satisfiesExactly(
            line -> assertThat(line).contains("\"record\":2,", "sequence", "\"base64\":"),
            line ->
                assertThat(line).contains("\"record\":3,", "not a GradientReport in Protobuf's"),
            line ->
                assertThat(line)
                    .contains("\"record\":4,", "the record is truncated: the input ends before"));
    assertThat(run.out()).contains("1 report in ", "3 records are not reports");
  }

  @Test
  void rawGradientsAreDeadLettersWithoutInput() throws Exception {
    GradientReport raw =
        report("m", 0, "ada", 1, 0.125, 0).setCentral(Central.getDefaultInstance()).build();
    folder.write("reports.jsonl", json(raw) + "\n" + json(raw).replace("0.125", "oops"));
    folder.writeBinary("reports.bin", List.of(raw, recorded(7, raw.toBuilder())));

    replay("reports.jsonl --dead-letters lines.jsonl");
    replay("reports.bin --dead-letters messages.jsonl");

    assertThat(folder.lines("lines.jsonl")).hasSize(2).noneMatch(line -> line.contains("\"text\""));
    assertThat(folder.lines("messages.jsonl"))
        .hasSize(2)
        .allSatisfy(
            line -> assertThat(line).contains("declaration is central").doesNotContain("base64"));
  }

  @Test
  void possibleRawGradientsAreNotPrinted() throws Exception {
    GradientReport raw =
        report("m", 0, "ada", 1, 0.125, 0).setCentral(Central.getDefaultInstance()).build();
    byte[] report = raw.toByteArray();
    byte[] recorded = recorded(7, raw.toBuilder()).toByteArray();
    try (var out = Files.newOutputStream(directory.resolve("reports.bin"))) {
      frame(out, Arrays.copyOf(recorded, recorded.length - 6)); // within the gradient
      frame(out, Arrays.copyOf(report, report.length - 6));
      recorded(7, raw.toBuilder()).toBuilder().clearOffset().build().writeDelimitedTo(out);
      frame(out, breakingOffInDense(raw).toByteArray());
      frame(out, recordedAs(breakingOffInDense(raw)).toByteArray());
    }
    folder.write(
        "reports.jsonl",
        String.join(
            "\n",
            json(raw).replace("\"central\"", "\"\\u0063entral\"").replace("0.125", "\"x\",0.125"),
            json(raw).replace("\"central\"", "central") + "}",
            json(raw).replace("\"central\"", "'central'") + "}",
            json(raw).substring(0, json(raw).indexOf(",\"central\"")),
            json(raw).substring(0, json(raw).indexOf("125"))));

    replay("reports.bin --dead-letters messages.jsonl");
    replay("reports.jsonl --dead-letters lines.jsonl");

    assertThat(folder.lines("messages.jsonl"))
        .hasSize(5)
        .allSatisfy(line -> assertThat(line).doesNotContain("base64"));
    assertThat(folder.lines("lines.jsonl"))
        .hasSize(5)
        .allSatisfy(line -> assertThat(line).doesNotContain("\"text\"", "125"));
  }

  private static void frame(OutputStream out, byte[] message) throws IOException {
    assertThat(message).as("its length is one byte").hasSizeLessThan(128);
    out.write(message.length);
    out.write(message);
  }

  /** The report, with an excess byte in its gradient, which precedes its declaration. */
  private static ByteString breakingOffInDense(GradientReport raw) {
    ByteString gradient = raw.getDense().toByteString().concat(ByteString.copyFrom(new byte[] {8}));
    return raw.toBuilder()
        .clearDense()
        .clearCentral()
        .build()
        .toByteString()
        .concat(field(GradientReport.DENSE_FIELD_NUMBER, gradient))
        .concat(field(GradientReport.CENTRAL_FIELD_NUMBER, ByteString.EMPTY));
  }

  private static ByteString recordedAs(ByteString report) {
    return recorded(7, GradientReport.newBuilder()).toBuilder()
        .clearReport()
        .build()
        .toByteString()
        .concat(field(RecordedReport.REPORT_FIELD_NUMBER, report));
  }

  private static ByteString field(int number, ByteString content) {
    return UnknownFieldSet.newBuilder()
        .addField(number, UnknownFieldSet.Field.newBuilder().addLengthDelimited(content).build())
        .build()
        .toByteString();
  }

  @Test
  void withoutAFileBadLinesAreCounted() throws Exception {
    folder.write("reports.jsonl", "{\"modelId\": 3");

    assertThat(replay("reports.jsonl").out())
        .containsPattern("m +\\| black_box +\\| +0 ")
        .contains(
            "1 records are not reports; the first is " + folder.path("reports.jsonl, line 1"));
  }

  @Test
  void theSummaryCountsEveryOutcome() throws Exception {
    GradientReport used = report("n", 0, "ada", 1, 1, 0).build();
    folder.writeJson(
        "reports.jsonl",
        List.of(
            used,
            used,
            report("n", 0, "ada", 2, 1, 0).build(),
            report("n", 0, "ada", 3, 1, 0).build(),
            report("n", 1, "ada", 4, 1, 0).build(),
            report("n", 9, "ada", 5, 1, 0).build(),
            report("n", 0, "ada", 6, 1).build(),
            report("other", 0, "ada", 7, 1).build()));

    assertThat(replay("reports.jsonl").out())
        .containsPattern(
            "n +\\| black_box +\\| +1 \\| +5 \\| +3 \\| +1 \\| +0 \\| +1 \\| +1 \\| +1")
        .containsPattern("8 reports in [0-9.]+ s: [0-9,]+ per second")
        .contains("1 of them are for models that are not in the models file");
  }

  @Test
  void readsFromAPipeAndWritesToOne() throws Exception {
    folder.writeJson("reports.jsonl", reports());
    replay("reports.jsonl --updates updates.jsonl");
    InputStream standardIn = System.in;
    System.setIn(new ByteArrayInputStream(bytes("reports.jsonl")));
    CommandRun run;
    try {
      run = replay("- --updates -");
    } finally {
      System.setIn(standardIn);
    }

    assertThat(run.out().getBytes(StandardCharsets.UTF_8)).isEqualTo(bytes("updates.jsonl"));
    assertThat(run.err()).contains("60 reports in ");
  }

  @Test
  void invalidInputIsReported() throws Exception {
    folder.write("reports.jsonl", "");
    folder.write("journal.jsonl", "{\"modelId\": 3, \"bundles\": 5}");
    assertRefused("missing.yaml: no such file", "--models missing.yaml");
    assertRefused("missing.jsonl: no such file", "--reports missing.jsonl");
    assertRefused(": can't be read: ", "--reports " + folder.path(""));
    assertRefused("--updates-every is 0; it must be at least 1", "--updates-every 0");
    assertRefused("line 1: not a JournalEntry", "--journal journal.jsonl");
    assertRefused("--format is record, a single report; it must be", "--format record");
    folder.writeBinary("reports.bin", reports());
    assertRefused("reports.bin: doesn't begin with a JSON object", "--reports reports.bin");
    assertRefused("--reports and --journal are both '-'", "--reports - --journal -");
    assertRefused("--updates and --accounting are both", "--updates - --accounting -");
    assertRefused("--reports and --updates are the same file", "--updates ./reports.jsonl");
    assertRefused(
        "--updates and --dead-letters are the same file",
        "--updates new.jsonl --dead-letters new.jsonl");
    assertRefused(
        "nowhere/updates.jsonl: can't be written: no such directory",
        "--updates " + folder.path("nowhere/updates.jsonl"));
    assertRefused(": can't be written: Is a directory", "--updates " + folder.path(""));
    assertThat(Files.exists(directory.resolve("new.jsonl"))).isFalse();
  }

  /** The files don't exist yet. */
  @Test
  void outputsThatLinksMakeOneFileAreRefused() throws Exception {
    folder.write("reports.jsonl", "");
    Files.createDirectory(directory.resolve("d"));
    Files.createSymbolicLink(directory.resolve("link"), Path.of("d"));
    Files.createSymbolicLink(directory.resolve("d/to.jsonl"), Path.of("u.jsonl"));
    Files.createSymbolicLink(directory.resolve("loop.jsonl"), Path.of("loop.jsonl"));
    String refused = "--updates and --accounting are the same file";
    assertRefused(refused, "--updates d/u.jsonl --accounting link/u.jsonl");
    assertRefused(refused, "--updates d/u.jsonl --accounting link/to.jsonl");
    assertRefused(refused, "--updates d/to.jsonl --accounting link/../d/u.jsonl");
    assertRefused("loop.jsonl: can't be read: ", "--updates loop.jsonl --accounting d/u.jsonl");
    assertThat(directory.resolve("d/u.jsonl")).doesNotExist();
  }

  @Test
  void modelsThatCannotBeReplayedAreReported() throws Exception {
    folder.write("reports.jsonl", "");
    assertModelRefused("learner", "dimension: 1, gradientBound: 1");
    assertModelRefused("dimension", "gradientBound: 1, blackBox: {}");
    assertModelRefused(
        "central models can't be replayed, since their noise is not reproducible",
        "dimension: 1, gradientBound: 1, limits: {maxParticipations: 1, minSeparation: 1, delta:"
            + " 1e-6}, dpFtrl: {clipNorm: 1, noiseMultiplier: 1, noise: {tree: {}}, learningRate:"
            + " 1}");
  }

  private void assertModelRefused(String message, String fields) throws Exception {
    folder.write("bad.yaml", "- {modelId: bad, %s}".formatted(fields));
    assertRefused("bad.yaml, model 'bad': ", "--models bad.yaml");
    assertRefused(message, "--models bad.yaml");
  }

  private void assertRefused(String message, String options) {
    String models = options.contains("--models") ? "" : " --models models.yaml";
    String reports = options.contains("--reports") ? "" : " --reports reports.jsonl";
    folder.run(options + models + reports).assertRefused(message);
  }
}
