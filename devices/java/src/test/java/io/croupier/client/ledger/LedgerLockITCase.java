package io.croupier.client.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two processes and one ledger whose files are deleted or replaced. */
@Tag("ci")
class LedgerLockITCase {
  @TempDir private Path folder;
  private Path file;
  private Process process;
  private BufferedReader output;
  private BufferedWriter input;

  @BeforeEach
  void hold() throws IOException {
    file = folder.resolve("ledger");
    process = ChildJvm.start(HoldingDevice.class, file.toString());
    output = process.inputReader(StandardCharsets.UTF_8);
    input = process.outputWriter(StandardCharsets.UTF_8);
    awaitLine(HoldingDevice.OPEN);
  }

  @AfterEach
  void end() throws Exception {
    process.destroyForcibly().waitFor();
  }

  /** The first line with one of the prefixes; skips lines of the log. */
  private String awaitLine(String... beginnings) throws IOException {
    while (true) {
      String line = output.readLine();
      assertThat(line).as("the process ended").isNotNull();
      for (String beginning : beginnings) {
        if (line.startsWith(beginning)) {
          return line;
        }
      }
    }
  }

  private String release(int reports) throws IOException {
    input.write(reports + "\n");
    input.flush();
    return awaitLine(HoldingDevice.RELEASED, HoldingDevice.FAILED);
  }

  private void assertHeld() {
    assertThatThrownBy(() -> open().close())
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("the ledger is already open");
  }

  private LocalLedger open() throws IOException {
    return LocalLedger.open(file, KilledReporter.USER, Limit.NONE);
  }

  private void deleteLock() throws IOException {
    Files.delete(folder.resolve("ledger.lock"));
  }

  private Object key() throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  @Test
  void deletingTheLockDoesNotUnlockTheLedger() throws Exception {
    assertHeld();
    deleteLock();
    assertHeld();
    assertThat(release(3)).isEqualTo(HoldingDevice.RELEASED);

    // One report at a time: after two rewritings the file may have the first one's key again.
    Object before = key();
    int reports = 3;
    while (key().equals(before)) {
      assertThat(release(1)).isEqualTo(HoldingDevice.RELEASED);
      reports++;
      assertThat(reports).as("reports before the rewriting").isLessThan(100);
    }
    deleteLock();
    assertHeld();
    assertThat(release(1)).as("a failed attempt changes nothing").isEqualTo(HoldingDevice.RELEASED);

    input.close();
    assertThat(process.waitFor()).isZero();
    try (LocalLedger ledger = open()) {
      assertThat(ledger.spent().reports()).isEqualTo(reports + 1);
    }
  }

  @Test
  void releasesNothingAfterItsFileWasReplaced() throws Exception {
    assertThat(release(2)).isEqualTo(HoldingDevice.RELEASED);
    Path copy = Files.copy(file, folder.resolve("copy"));
    Files.move(copy, file, StandardCopyOption.REPLACE_EXISTING);
    deleteLock();
    try (LocalLedger ledger = open()) {
      assertThat(ledger.spent().reports()).isEqualTo(2);
      assertThat(release(1)).startsWith(HoldingDevice.FAILED).contains("deleted or replaced");
      assertThat(release(1)).as("it stays refused").startsWith(HoldingDevice.FAILED);
    }
  }

  @Test
  void releasesNothingAfterItsFileWasDeleted() throws Exception {
    Files.delete(file);
    assertThat(release(1)).startsWith(HoldingDevice.FAILED).contains("deleted or replaced");
  }
}
