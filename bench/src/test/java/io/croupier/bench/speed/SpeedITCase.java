package io.croupier.bench.speed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command of the README, with far too few reports. */
@Tag("thorough")
class SpeedITCase {
  @TempDir private Path out;

  @Test
  void writesTheTable() throws Exception {
    int status =
        Speed.commandLine()
            .execute("--out", out.toString(), "--quick", "--only", "rate", "--dimensions", "10");

    assertThat(status).isZero();
    assertThat(Files.readString(out.resolve("speed.md")))
        .contains("| banco | 10 | 1 |", "| banco | 10 | 100 |")
        .as("every rate, and some bundles")
        .doesNotContain("NaN", "| 0 |");
  }
}
