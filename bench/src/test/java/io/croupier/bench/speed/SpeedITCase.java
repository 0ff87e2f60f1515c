package io.croupier.bench.speed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command of the README, on far too few reports. */
class SpeedITCase {
  @TempDir private Path out;

  @Test
  void everyPartHasItsTable() throws Exception {
    int status =
        Speed.commandLine()
            .execute(
                "--out", out.toString(), "--quick", "--dimensions", "10", "--ledger-users", "2000");

    assertThat(status).isZero();
    String page = Files.readString(out.resolve("speed.md"));
    assertThat(page).contains("| banco | 10 | 100 |", "| coordinate_wise | 10 | 1 |");
    assertThat(page).contains("| 100 |", "| 2,000 | rocksdb |", "| two models, parallelism 2 |");
    assertThat(page).doesNotContain("NaN");
  }
}
