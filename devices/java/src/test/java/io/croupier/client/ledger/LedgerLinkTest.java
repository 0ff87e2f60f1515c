package io.croupier.client.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A ledger that is reachable by several paths is opened as one ledger, or refused. */
class LedgerLinkTest {
  @TempDir private Path root;
  private Path file;
  private Path link;

  @BeforeEach
  void link() throws IOException {
    file = Files.createDirectory(root.resolve("data")).resolve("real.ledger");
    link = Files.createDirectory(root.resolve("home")).resolve("ada.ledger");
    Files.createSymbolicLink(link, Path.of("../data/real.ledger"));
  }

  /** Opens a ledger that is rewritten as often as possible. */
  private static LocalLedger open(Path path) throws IOException {
    return LocalLedger.open(path, "ada", Limit.NONE, Disk.REAL, 1);
  }

  private static long release(LocalLedger ledger) {
    return FrequentData.release(ledger, LedgerFixture.TENTH, 1000);
  }

  @Test
  void isNotOpenedByTwoPathsAtOnce() throws Exception {
    open(file).close();
    Path folderLink = Files.createSymbolicLink(root.resolve("device"), file.getParent());
    Path twice = Files.createSymbolicLink(root.resolve("twice"), link);
    for (Path first : new Path[] {file, link}) {
      try (LocalLedger ledger = open(first)) {
        assertThat(ledger.pending()).isEmpty();
        for (Path second : new Path[] {file, link, twice, folderLink.resolve("real.ledger")}) {
          assertThatThrownBy(() -> open(second))
              .isInstanceOf(FileSystemException.class)
              .hasMessageContaining("already open");
        }
      }
    }
    assertOneLedger();
  }

  @Test
  void isRewrittenBehindItsLink() throws Exception {
    open(file).close();
    for (int i = 0; i < 6; i++) {
      try (LocalLedger ledger = open(i % 2 == 0 ? link : file)) {
        assertThat(ledger.spent().reports()).isEqualTo(2L * i);
        for (int j = 0; j < 2; j++) {
          ledger.acknowledge(release(ledger));
        }
      }
      assertOneLedger();
    }
    assertThat(Files.size(file)).as("of 12 reports").isLessThan(3000);
  }

  @Test
  void isMigratedBehindItsLink() throws Exception {
    LedgerFixture.copyOfVersion(1, file);
    String deviceId;
    try (LocalLedger ledger = open(link)) {
      deviceId = ledger.deviceId();
      assertThat(release(ledger)).isEqualTo(5);
    }
    assertOneLedger();
    try (LocalLedger ledger = open(file)) {
      assertThat(ledger.deviceId()).isEqualTo(deviceId);
      assertThat(ledger.spent().reports()).isEqualTo(6);
    }
  }

  private void assertOneLedger() throws IOException {
    assertThat(link).isSymbolicLink();
    try (var beside = Files.list(link.getParent())) {
      assertThat(beside).containsExactly(link);
    }
    try (var beside = Files.list(file.getParent())) {
      assertThat(beside).containsExactlyInAnyOrder(file, file.resolveSibling("real.ledger.lock"));
    }
  }

  @Test
  void refusesALinkToAMissingFile() throws Exception {
    assertThatThrownBy(() -> open(link))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining(link.toString())
        .hasMessageContaining("is a link to ../data/real.ledger, which doesn't exist");
    assertThat(file.getParent()).isEmptyDirectory();
    try (var beside = Files.list(link.getParent())) {
      assertThat(beside).containsExactly(link);
    }
  }

  @Tag("ci")
  @Test
  void mustHaveOneName() throws Exception {
    assumeThat(root.getFileSystem().supportedFileAttributeViews()).contains("unix");
    try (LocalLedger ledger = open(file)) {
      release(ledger);
    }
    byte[] before = Files.readAllBytes(file);
    Path other = Files.createLink(root.resolve("other"), file);
    for (Path path : new Path[] {file, other, link}) {
      assertThatThrownBy(() -> open(path))
          .isInstanceOf(FileSystemException.class)
          .hasMessageContaining("the ledger has 2 names (hard links); it must have one");
    }
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
    Files.delete(other);
    try (LocalLedger ledger = open(link)) {
      assertThat(ledger.spent().reports()).isEqualTo(1);
    }
  }

  /** The error of a rename onto a file that is a mount point. */
  @Test
  void namesTheFolderToMountIfTheFileCannotBeReplaced() throws Exception {
    boolean[] mounted = {false};
    Disk disk =
        new WatchedDisk(
            operation -> {
              if (mounted[0] && operation.name().equals("move")) {
                throw new FileSystemException("x.new", "x", "Device or resource busy");
              }
            });
    try (LocalLedger ledger = LocalLedger.open(file, "ada", Limit.NONE, disk, 1)) {
      ledger.acknowledge(release(ledger));
      mounted[0] = true;
      assertThatThrownBy(() -> release(ledger))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining(file.toString())
          .hasMessageContaining("(Device or resource busy)")
          .hasMessageContaining("mount its folder instead");
    }
    try (LocalLedger ledger = open(file)) {
      assertThat(release(ledger)).isEqualTo(1);
    }
  }
}
