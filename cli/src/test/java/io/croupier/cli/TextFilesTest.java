package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each command reads the same text in a file with a byte order mark, and with other line ends. */
class TextFilesTest {
  @TempDir Path directory;

  private record Outcome(int code, String out, String err) {}

  private Outcome run(String command, String text, Charset charset) throws IOException {
    Path file = Files.write(directory.resolve("file"), text.getBytes(charset));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Croupier.commandLine()
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(command.replace("FILE", file.toString()).split(" "));
    return new Outcome(code, out.toString(), err.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "calibrate --epsilon 4 --delta 1e-6 --order FILE | ann#ann#ann# bob , cy#",
        "account tree --noise-multiplier 2 --by-user --order FILE | ann#ann#",
        "account compose FILE | {\"userId\":\"Zo\u00eb\",\"gaussian\":{\"mu\":1}}#",
        "account compose FILE | [{\"gaussian\":{\"mu\":1}},#{\"gaussian\":{\"mu\":2}}]#",
        "models validate FILE | - {modelId: a, dimension: 3, gradientBound: 1, blackBox: {}}#",
      })
  void readsTheSameTextInEachFile(String command, String lines) throws IOException {
    String text = lines.replace('#', '\n');
    Outcome plain = run(command, text, StandardCharsets.UTF_8);

    assertThat(plain.code).as(plain.err).isZero();
    assertThat(run(command, "\uFEFF" + text, StandardCharsets.UTF_8)).isEqualTo(plain);
    assertThat(run(command, text.replace("\n", "\r\n"), StandardCharsets.UTF_8)).isEqualTo(plain);
    Outcome other = run(command, "\uFEFF" + text, StandardCharsets.UTF_16);
    assertThat(other.code).isOne();
    assertThat(other.err).contains("the text is not UTF-8; save the file as UTF-8");
  }

  /** Without a broker, a command that changes something gets as far as asking for one. */
  @Test
  void whoIsStoppedIsReadTheSameFromEachFile() throws IOException {
    String command = "stop --kafka localhost:9 --from FILE";
    String longest = "u".repeat(256) + "\n";
    Outcome plain = run(command, longest, StandardCharsets.UTF_8);

    assertThat(plain.err).contains("No Kafka broker");
    assertThat(run(command, "\uFEFF" + longest, StandardCharsets.UTF_8)).isEqualTo(plain);
    assertThat(run(command, "\uFEFF" + longest, StandardCharsets.UTF_16).err)
        .contains("the text is not UTF-8; save the file as UTF-8");
    assertThat(run(command, "ann\nbo\u200Bb\n", StandardCharsets.UTF_8).err)
        .contains("Line 2 of", "a user id contains the invisible character U+200B");
  }

  /** One person would count as two. */
  @ParameterizedTest
  @CsvSource({
    "ann\u200B,U+200B",
    "\u00ADann,U+00AD",
    "a\u0000nn,U+0000",
    "ann\uFEFF,U+FEFF",
    "ann\uDB40\uDC41,U+E0041"
  })
  void aUserIdWithAnInvisibleCharacterIsRefused(String user, String code) throws IOException {
    Outcome outcome =
        run(
            "calibrate --epsilon 4 --delta 1e-6 --order FILE",
            "ann\n" + user + "\n",
            StandardCharsets.UTF_8);

    assertThat(outcome.code).isOne();
    assertThat(outcome.err).contains("line 2: a user id contains the invisible character " + code);
  }
}
