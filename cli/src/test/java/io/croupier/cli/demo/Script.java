package io.croupier.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The script {@code croupier} as users run it, in a separate process.
 *
 * @param directory where it runs
 * @param temporary where its temporary files go
 */
record Script(Path directory, Path temporary) {

  private static final Path SCRIPT = Path.of("..", "croupier").toAbsolutePath().normalize();

  /** A script that runs in {@code directory}, with its temporary files in a subdirectory. */
  static Script in(Path directory) throws IOException {
    return new Script(directory, Files.createDirectory(directory.resolve("tmp")));
  }

  /** Starts it; arguments are separated by single blanks. */
  Process start(String arguments) throws IOException {
    return start(List.of(), arguments);
  }

  /** Starts it with a launcher, a command that executes its arguments. */
  Process start(List<String> launcher, String arguments) throws IOException {
    List<String> command = new ArrayList<>(launcher);
    command.add(SCRIPT.toString());
    command.addAll(List.of(arguments.split(" ")));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.directory(directory.toFile());
    builder.environment().put("TMPDIR", temporary.toString());
    return builder.start();
  }

  /** Runs it to its end, requires exit code 0, and returns its output. */
  List<String> run(String arguments) throws Exception {
    Process process = start(arguments);
    List<String> lines = process.inputReader(UTF_8).lines().toList();
    assertThat(process.waitFor()).as(String.join("\n", lines)).isZero();
    return lines;
  }

  void assertNothingIsLeft() {
    assertThat(temporary).isEmptyDirectory();
  }
}
