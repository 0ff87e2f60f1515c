package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Results that can't be written, and text in another locale or with control characters. */
class StandardOutputTest {
  @TempDir private static Path directory;
  private final StringWriter err = new StringWriter();

  /** A full disk, or a pipe whose reader has ended. */
  private static final class Failing extends OutputStream {
    private final String message;

    Failing(String message) {
      this.message = message;
    }

    @Override
    public void write(int octet) throws IOException {
      throw new IOException(message);
    }
  }

  @BeforeAll
  static void write() throws IOException {
    Files.writeString(
        directory.resolve("gateway.yaml"),
        """
        kafka: {bootstrap.servers: "127.0.0.1:1"}
        pepper: {file: pepper}
        test-tokens: {allowed: true, key-file: test.jwk}
        """);
    Files.writeString(
        directory.resolve("events.jsonl"), "{\"userId\": \"a\", \"gaussian\": {\"mu\": 1}}");
    Files.writeString(directory.resolve("none.jsonl"), "");
    assertThat(
            Croupier.commandLine()
                .setOut(new PrintWriter(new StringWriter()))
                .execute("gateway", "init", "--config", directory + "/gateway.yaml"))
        .isZero();
  }

  private int run(OutputStream out, String command) {
    return Croupier.run(
        new StandardOutput(out),
        new PrintWriter(err, true),
        command.replace("DIR", directory.toString()).split(" "));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "--version",
        "help plan",
        "calibrate --epsilon 4 --delta 1e-6 --reports 100",
        "account gaussian --mu 1 --delta 1e-6",
        "account compose DIR/events.jsonl",
        "account compose DIR/events.jsonl --json",
        "models validate ../examples/models.yaml",
        "replay --models ../examples/models.yaml --reports DIR/none.jsonl",
        "replay --models ../examples/models.yaml --reports DIR/none.jsonl --updates -",
        "gateway init --config DIR/gateway.yaml",
        "gateway token --config DIR/gateway.yaml --subject a",
        "gateway user --config DIR/gateway.yaml --issuer test --subject a",
      })
  void aFailedWriteIsAFailure(String command) {
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    assertThat(run(written, command)).as(command + ": " + err).isZero();
    assertThat(written.size()).isPositive();
    err.getBuffer().setLength(0);

    assertThat(run(new Failing("No space left on device"), command)).isEqualTo(1);
    assertThat(err.toString())
        .endsWith("Standard output can't be written: No space left on device\n")
        .doesNotContain("Failed:", "Exception");
    err.getBuffer().setLength(0);

    assertThat(run(new Failing("Broken pipe"), command)).isEqualTo(StandardOutput.CLOSED_PIPE);
    assertThat(err.toString()).doesNotContain("written", "Failed:", "Exception");
  }

  @Test
  void textIsInUtf8AndObeyedByNoTerminal() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintWriter out = StandardOutput.text(bytes);
    out.println("Zoë\u001b[31m \u202egnp.exe\u009b2J");
    out.printf("%s\t|%n", "a\u0007");
    out.flush();
    assertThat(bytes.toString(UTF_8))
        .isEqualTo("Zoë\\u001b[31m \\u202egnp.exe\\u009b2J\na\\u0007\t|\n");
  }

  /** The names of two people must not become one. */
  @Test
  void aProcessInTheLocaleCRefusesNamesThatItCannotRead() throws Exception {
    Path err = directory.resolve("err");
    ProcessBuilder process = process("C", java("ledger", "Zo\u00eb")).redirectError(err.toFile());
    assertThat(process.start().waitFor()).isEqualTo(ExitCode.ARGUMENTS.code());
    assertThat(Files.readString(err))
        .startsWith("Argument 2 contains bytes that are not text in the locale's encoding, ")
        .contains("set LC_ALL=C.UTF-8");
  }

  @Tag("ci")
  @Test
  void aProcessFailsOnAFullDisk() throws Exception {
    Path full = Path.of("/dev/full");
    assumeThat(full).exists();
    Path err = directory.resolve("err");
    ProcessBuilder process =
        process("C", java("--version")).redirectOutput(full.toFile()).redirectError(err.toFile());
    assertThat(process.start().waitFor()).isEqualTo(ExitCode.FAILURE.code());
    assertThat(Files.readString(err)).startsWith("Standard output can't be written: ");
  }

  private static String[] java(String... arguments) {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classes = System.getProperty("java.class.path");
    return Stream.concat(
            Stream.of(java, "-Xmx64m", "-cp", classes, Croupier.class.getName()),
            Stream.of(arguments))
        .toArray(String[]::new);
  }

  /** The scripts choose a locale that has all names. */
  @ParameterizedTest
  @ValueSource(strings = {"C", "POSIX", "nowhere", "C.UTF-8"})
  void theLauncherChoosesAnEncodingOfAllNames(String locale) throws Exception {
    Path home = Files.createDirectories(directory.resolve("home-" + locale));
    Files.copy(ProjectFiles.ROOT.resolve("croupier"), home.resolve("croupier"));
    Files.createDirectories(home.resolve("cli/target"));
    Files.createFile(home.resolve("cli/target/croupier.jar"));
    Path java = Files.createDirectories(home.resolve("jdk/bin")).resolve("java");
    Files.writeString(
        java,
        """
        #!/bin/sh
        case "$1" in
          -XshowSettings*) echo ' java.specification.version = 17' ;;
          *) locale charmap ;;
        esac
        """);
    assertThat(java.toFile().setExecutable(true)).isTrue();
    ProcessBuilder launcher = process(locale, home.resolve("croupier").toString());
    launcher.environment().put("JAVA_HOME", home.resolve("jdk").toString());
    assertThat(output(launcher)).isEqualTo("UTF-8\n");
    String environment = ProjectFiles.ROOT.resolve("deploy/environment").toString();
    assertThat(
            output(
                process(
                    locale, "bash", "-c", "source '%s'; locale charmap".formatted(environment))))
        .isEqualTo("UTF-8\n");
  }

  private static String output(ProcessBuilder command) throws Exception {
    Process process = command.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).isZero();
    return output;
  }

  private static ProcessBuilder process(String locale, String... command) {
    ProcessBuilder process = new ProcessBuilder(command);
    process.environment().putAll(Map.of("LC_ALL", locale));
    return process;
  }
}
