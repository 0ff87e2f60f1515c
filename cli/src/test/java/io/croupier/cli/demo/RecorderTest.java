package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.cli.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecorderTest {

  @TempDir private Path directory;

  @Test
  void onlyTheOwnerMayReadANewDirectory() throws IOException {
    Path fresh = directory.resolve("runs").resolve("first");

    Recorder.into(fresh);

    assertThat(fresh).isEmptyDirectory();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(fresh)))
        .isEqualTo("rwx------");
  }

  @Test
  void anEmptyDirectoryIsUsed() throws IOException {
    var before = Files.getPosixFilePermissions(directory);

    Recorder.into(directory);

    assertThat(Files.getPosixFilePermissions(directory)).isEqualTo(before);
  }

  @Test
  void nothingIsOverwritten() throws IOException {
    Path file = Files.writeString(directory.resolve("reports.jsonl"), "{}");

    assertThatThrownBy(() -> Recorder.into(directory))
        .isInstanceOf(InputException.class)
        .hasMessage("--record: %s is not empty; it must be a new or empty directory", directory);
    assertThatThrownBy(() -> Recorder.into(file))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("reports.jsonl is a file");
    assertThat(file).hasContent("{}");
  }

  @Test
  void theCommandIsQuotedForAShell() {
    String plain = Recorder.into(directory.resolve("run-1")).replayCommand();
    assertThat(plain)
        .startsWith("croupier replay --models " + directory)
        .contains("run-1/models.yaml --reports ", "run-1/reports.jsonl --journal ")
        .endsWith("run-1/journal.jsonl --updates out.jsonl");

    String quoted = Recorder.into(directory.resolve("Ada's run")).replayCommand();
    assertThat(quoted).contains("--models '" + directory + "/Ada'\\''s run/models.yaml' --reports");
  }
}
