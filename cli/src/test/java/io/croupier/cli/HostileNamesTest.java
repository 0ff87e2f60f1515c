package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonPrimitive;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What commands print of names that others have chosen: no colours, no further lines, no order. */
class HostileNamesTest {
  private static final String HOSTILE =
      "\u001b[31mred\u001b[0m\r\nFORGED | 0\u2028FORGED\u0085FORGED\u202eb\u009b2J\u0007";

  @TempDir private Path directory;

  @BeforeEach
  void writeFiles() throws IOException {
    write("events.jsonl", "{\"userId\": NAME, \"modelId\": NAME, \"gaussian\": {\"mu\": 1}}");
    write(
        "judged.jsonl",
        "{\"userId\": NAME, \"modelId\": NAME, \"gaussian\": {\"mu\": 1}, \"outcome\": \"ADMITTED\","
            + " \"modelTotals\": {\"mu\": 3}}");
    write("unknown.jsonl", "{NAME: 1}");
    write("report.jsonl", "{NAME: 1}");
    String model = "{\"modelId\": NAME, NAME: NAME, \"dimension\": NAME}";
    write("models.json", "[%s, %s]".formatted(model, model));
    write("croupier.yaml", "{kafka: {bootstrap.servers: \"a:1\"}, NAME: 1}");
    write("gateway.yaml", "{pepper: {file: p}, kafka: {bootstrap.servers: \"a:1\"}, NAME: 1}");
    Files.writeString(directory.resolve("order.txt"), HOSTILE);
  }

  private void write(String file, String text) throws IOException {
    String name = new JsonPrimitive(HOSTILE).toString();
    Files.writeString(directory.resolve(file), text.replace("NAME", name));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "account compose DIR/events.jsonl",
        "account compose DIR/events.jsonl --json",
        "account compose DIR/judged.jsonl",
        "account compose DIR/unknown.jsonl",
        "account tree --order DIR/order.txt",
        "models validate DIR/models.json",
        "replay --models ../examples/models.yaml --reports DIR/report.jsonl --dead-letters -",
        "replay --models DIR/models.json --reports DIR/report.jsonl",
        "topics create --config DIR/croupier.yaml",
        "run --config DIR/croupier.yaml",
        "gateway init --config DIR/gateway.yaml",
        "report --models DIR/models.json --model NAME --user NAME --without-ledger --epsilon 1",
        "follow --kafka a:1 --model NAME",
        "ledger --kafka a:1 --top NAME",
        "NAME",
      })
  void areShownInOneLineThatNoTerminalObeys(String command) {
    String[] arguments = command.split(" ");
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = arguments[i].replace("DIR", directory.toString()).replace("NAME", HOSTILE);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();

    Croupier.run(new StandardOutput(out), StandardOutput.text(err), arguments);

    String text = out.toString(StandardCharsets.UTF_8) + err.toString(StandardCharsets.UTF_8);
    assertThat(text).as(command).isNotBlank();
    assertThat(text.replaceAll("[\\n\\t]", "")).as(command).doesNotContainPattern("\\p{C}");
    assertThat(text.lines()).as(command).noneMatch(line -> line.strip().startsWith("FORGED"));
  }

  @Test
  void theCauseOfAFailureIsEscaped() {
    assertThat(Log.explain(new IllegalStateException(HOSTILE, new RuntimeException(HOSTILE))))
        .hasLineCount(2)
        .doesNotContain("\u001b", "\u2028");
    assertThat(new InputException(HOSTILE)).hasMessageStartingWith("\\u001b[31mred");
    StringWriter text = new StringWriter();
    new PrintWriter(text, true).println(new InputException(HOSTILE).getMessage());
    assertThat(text.toString().lines()).hasSize(1);
  }
}
