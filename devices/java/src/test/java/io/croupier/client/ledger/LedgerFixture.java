package io.croupier.client.ledger;

import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A ledger in a file of its own. */
abstract class LedgerFixture {
  static final GridRandomiser TENTH = new L2LaplaceRandomiser(1, 2, -16, 0.1);
  static final GridRandomiser HALF = new L2LaplaceRandomiser(1, 2, -16, 0.5);

  @TempDir Path folder;
  Path file;

  @BeforeEach
  void name() {
    file = folder.resolve("ledger");
  }

  LocalLedger open(Limit limit) throws IOException {
    return LocalLedger.open(file, "ada", limit);
  }

  /**
   * Opens a ledger without a limit that is rewritten when it has so many bytes of settled reports.
   */
  LocalLedger open(Disk disk, int slackBytes) throws IOException {
    return LocalLedger.open(file, "ada", Limit.NONE, disk, slackBytes);
  }

  /** Copies the file that an earlier version of the format wrote. */
  static void copyOfVersion(int version, Path file) throws IOException {
    String name = "/ledgers/v%d.ledger".formatted(version);
    try (InputStream old = LedgerFixture.class.getResourceAsStream(name)) {
      Files.copy(old, file);
    }
  }
}
