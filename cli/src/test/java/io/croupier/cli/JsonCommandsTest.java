package io.croupier.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.account.AccountCommand;
import io.croupier.cli.audit.AuditCommand;
import io.croupier.cli.models.ModelsFile;
import io.croupier.cli.replay.RecordReading;
import io.croupier.cli.report.LineReading;
import io.croupier.gateway.json.JsonCase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** All commands that read JSON refuse the same texts, which are also those of the gateway. */
class JsonCommandsTest {
  private static final String REPORT =
      "{\"modelId\":\"m\",\"round\":\"0\",\"userId\":\"u\",\"sequence\":\"1\","
          + "\"dense\":{\"values\":[0.5]},\"l2Laplace\":{\"epsilon\":8}}";

  private static final String RECORDED =
      "{\"partition\":0,\"topic\":\"t\",\"offset\":\"0\",\"report\":" + REPORT + "}";

  private static final String ENTRY =
      "{\"modelId\":\"m\",\"bundles\":[{\"namedRound\":\"0\",\"published\":true}]}";

  @TempDir private Path directory;

  /** A reader of a line, which comes after a valid one. */
  private interface Reader {
    boolean reads(byte[] line) throws IOException;
  }

  /** Something that refuses a line by an exception. */
  private interface Parser {
    void parse(byte[] line) throws IOException;
  }

  private static Reader isTaken(Parser parser) {
    return line -> {
      try {
        parser.parse(line);
        return true;
      } catch (InputException e) {
        return false;
      }
    };
  }

  private static byte[] lines(String first, byte[] second) {
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    lines.writeBytes((first + "\n").getBytes(UTF_8));
    lines.writeBytes(second);
    return lines.toByteArray();
  }

  private static List<JsonCase> mapping(String name) {
    List<JsonCase> cases = new ArrayList<>(JsonCase.of(name));
    if (name.equals("modelId")) {
      cases.addAll(JsonCase.ofMapping());
    }
    return cases;
  }

  private static void assertAgrees(String text, List<JsonCase> cases, Reader reader)
      throws IOException {
    for (JsonCase each : cases) {
      assertThat(reader.reads(each.bytes(text))).as("%s", each).isEqualTo(each.isValid());
    }
  }

  @Test
  void recordedReports() throws IOException {
    Reader reader = line -> RecordReading.reports(lines(REPORT, line)).isEmpty();
    assertAgrees(REPORT, mapping("modelId"), reader);
    assertAgrees(RECORDED, mapping("partition"), reader);
  }

  @Test
  void journals() throws IOException {
    List<JsonCase> cases = mapping("modelId");
    // An entry has no such field.
    cases.removeIf(each -> each.name().equals("null"));
    assertAgrees(ENTRY, cases, isTaken(line -> RecordReading.journal(lines(ENTRY, line))));
  }

  @Test
  void declarations() throws IOException {
    String declaration = "{\"modelId\":\"m\",\"userId\":\"u\",\"l2Laplace\":{\"epsilon\":8}}";
    Path file = directory.resolve("declarations.jsonl");
    assertAgrees(
        declaration,
        mapping("modelId"),
        line -> {
          Files.write(file, lines(declaration, line));
          return new CommandLine(new AccountCommand())
                  .setOut(new PrintWriter(Writer.nullWriter()))
                  .setErr(new PrintWriter(Writer.nullWriter()))
                  .execute("compose", file.toString(), "--delta", "1e-6")
              == 0;
        });
  }

  @Test
  void releases() throws IOException {
    String report =
        "{\"modelId\":\"m\",\"answer\":{\"question\":\"q\",\"bit\":true},"
            + "\"randomisedResponse\":{\"epsilon\":2}}";
    String file = directory.resolve("releases.jsonl").toString();
    assertAgrees(
        report,
        mapping("modelId"),
        line -> {
          Files.write(Path.of(file), lines(report, line));
          CommandRun run = CommandRun.of(new AuditCommand(), "releases", file, file);
          return run.failure().getMessage().contains("each must have at least");
        });
  }

  /** NaN, Infinity and numbers beyond doubles are coordinates, as the command's docs say. */
  @Test
  void gradients() throws IOException {
    assertAgrees(
        "{\"round\":3,\"gradient\":[0.5,1]}",
        JsonCase.of("round"),
        isTaken(line -> LineReading.gradient(new String(line, UTF_8), 2)));
  }

  /** A models file is YAML, of which JSON is a part; texts need no quotes there. */
  @Test
  void specs() throws IOException {
    Path file = directory.resolve("models.yaml");
    Set<String> ofJsonAlone =
        Set.of("single quotes", "a comma before the end", "a byte order mark", "null");
    List<JsonCase> cases = mapping("modelId");
    cases.removeIf(
        each -> ofJsonAlone.contains(each.name()) || each.name().startsWith("the value"));
    assertAgrees(
        "{\"modelId\":\"m\",\"dimension\":1,\"gradientBound\":1,\"blackBox\":{}}",
        cases,
        isTaken(
            spec -> {
              Files.writeString(file, "[" + new String(spec, ISO_8859_1) + "]", ISO_8859_1);
              assertThat(ModelsFile.readValid(file)).hasSize(1);
            }));
  }
}
