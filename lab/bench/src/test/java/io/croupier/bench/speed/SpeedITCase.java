package io.croupier.bench.speed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command of lab/bench/speed.md, with far too few reports. */
@Tag("thorough")
class SpeedITCase {
  @TempDir private Path out;

  @Test
  void writesTheTable() throws Exception {
    String page = measure("rate", "--dimensions", "100");

    assertThat(page)
        .contains(
            "| banco | grid | 100 | 1 |",
            "| banco | grid | 100 | 100 |",
            "| banco | candidate | 100 | 1 |",
            "| banco | candidate | 100 | 100 |")
        .as("every rate and size, of the job and of what it is compared with, and some bundles")
        .doesNotContain("NaN", "| 0 |");
    // A grid has 4 bytes a coordinate; each form has the same user, device, sequence and times.
    assertThat(bytes(page, "grid") - bytes(page, "candidate")).isBetween(350, 400);
  }

  @Test
  void runsTheNamedFormAlone() throws Exception {
    assertThat(measure("rate", "--dimensions", "10", "--forms", "candidate"))
        .contains("| banco | candidate | 10 | 1 |")
        .doesNotContain("grid");
  }

  @Test
  void measuresReportsWithoutIdentity() throws Exception {
    assertThat(measure("spend"))
        .contains("| hashmap |", "| rocksdb |")
        .doesNotContain("NaN", "Infinity", "| 0 |");
  }

  /** Runs one of the command's measurements, and returns the page that it writes. */
  private String measure(String only, String... options) throws Exception {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--out", out.toString(), "--quick", "--only", only));
    arguments.addAll(List.of(options));
    assertThat(Speed.commandLine().execute(arguments.toArray(String[]::new))).isZero();
    return Files.readString(out.resolve("speed.md"));
  }

  /** The column "bytes a report" of the first row of a form. */
  private static int bytes(String page, String form) {
    String row = page.lines().filter(line -> line.contains("| " + form + " |")).findFirst().get();
    return Integer.parseInt(row.split("\\|", -1)[5].trim().replace(",", ""));
  }
}
