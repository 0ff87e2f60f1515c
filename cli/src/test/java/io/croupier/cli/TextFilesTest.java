package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.commons.lang3.ArrayUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each command reads the same text in a file with a byte order mark, and with other line ends. */
class TextFilesTest {
  @TempDir Path directory;

  private CommandRun run(String command, String text, Charset charset) throws IOException {
    Path file = Files.write(directory.resolve("file"), text.getBytes(charset));
    CommandRun run = CommandRun.croupier(command.replace("FILE", file.toString()));
    // A slow machine prints that it waits for the brokers.
    String err = run.err().replaceAll("(?m)^Waiting for .*\\R", "");
    return new CommandRun(run.code(), run.out(), err, null);
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
    CommandRun plain = run(command, text, StandardCharsets.UTF_8).succeeded();

    assertThat(run(command, "\uFEFF" + text, StandardCharsets.UTF_8)).isEqualTo(plain);
    assertThat(run(command, text.replace("\n", "\r\n"), StandardCharsets.UTF_8)).isEqualTo(plain);
    run(command, "\uFEFF" + text, StandardCharsets.UTF_16)
        .failed("the text is not UTF-8; save the file as UTF-8");
  }

  /** Without a broker, a command that changes something gets as far as asking for one. */
  @Test
  void whoIsStoppedIsReadTheSameFromEachFile() throws IOException {
    String command = "stop --kafka localhost:9 --from FILE";
    String longest = "u".repeat(256) + "\n";
    CommandRun plain = run(command, longest, StandardCharsets.UTF_8);

    plain.failed("No Kafka broker");
    assertThat(run(command, "\uFEFF" + longest, StandardCharsets.UTF_8)).isEqualTo(plain);
    run(command, "\uFEFF" + longest, StandardCharsets.UTF_16)
        .failed("the text is not UTF-8; save the file as UTF-8");
    run(command, "ann\nbo\u200Bb\n", StandardCharsets.UTF_8)
        .failed("Line 2 of", "contains the invisible character U+200B");
  }

  /** Without a broker, a person who may exist gets as far as asking for one. */
  @ParameterizedTest
  @ValueSource(strings = {"stop", "resume", "erase --anyway"})
  void onlyAVisibleUserIdIsChanged(String command) throws IOException {
    String[] options = (command + " --kafka localhost:9 --user").split(" ");
    for (String user : List.of("ad\u200Ba", "a\nda", "ada\u00A0")) {
      CommandRun.croupier("", ArrayUtils.add(options, user))
          .failed("--user contains the invisible character U+");
    }
    CommandRun.croupier("", ArrayUtils.add(options, " ")).failed("--user has 0 bytes");
    CommandRun.croupier("", ArrayUtils.add(options, " ada ")).failed("No Kafka broker");
    CommandRun.croupier(command + " --kafka localhost:9 --gateway x --subject ad\u200Ba")
        .failed("--subject contains the invisible character U+200B");
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
    String command = "calibrate --epsilon 4 --delta 1e-6 --order FILE";
    run(command, "ann\n" + user + "\n", StandardCharsets.UTF_8)
        .failed("line 2: a user id contains the invisible character " + code);
  }
}
