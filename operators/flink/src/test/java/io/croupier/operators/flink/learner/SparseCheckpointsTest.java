package io.croupier.operators.flink.learner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.learner.SparseCheckpoints.Checkpoint;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * After one report of 50 values to a coordinate-wise model, an incremental checkpoint in RocksDB
 * writes kilobytes, whatever the dimension. Compactions of RocksDB rewrite more now and then, so
 * the median counts.
 */
class SparseCheckpointsTest {
  @TempDir private Path directory;

  @Tag("ci")
  @Test
  void aReportIsKilobytes() throws Exception {
    long[] bytes = new long[15];
    try (SparseCheckpoints run = new SparseCheckpoints(100_000, directory)) {
      for (int i = 0; i < 1000; i++) {
        run.report();
      }
      Checkpoint history = run.checkpoint();
      for (int i = 0; i < bytes.length; i++) {
        run.report();
        bytes[i] = run.checkpoint().bytes();
      }
      assertThat(history.bytes()).isGreaterThan(1_000_000);
    }
    Arrays.sort(bytes);
    assertThat(bytes[bytes.length / 2]).isBetween(10_000L, 250_000L);
  }

  /** In a process of its own, whose heap is 2.5 GB. */
  @Test
  @Tag("thorough")
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void aReportToTenMillionCoordinatesIsKilobytes() throws Exception {
    Path out = directory.resolve("out");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx2500m",
            "-XX:+UseSerialGC",
            "--add-opens=java.base/java.util=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            SparseCheckpoints.class.getName(),
            "10000000",
            "20000",
            "15",
            directory.toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .redirectOutput(new File(out.toString()))
            .start();
    try {
      assertThat(process.waitFor(9, TimeUnit.MINUTES)).as("ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    String lines = Files.readString(out, UTF_8);
    assertThat(process.exitValue()).as(lines).isZero();
    long[] bytes =
        lines
            .lines()
            .filter(line -> line.startsWith("report "))
            .mapToLong(line -> Long.parseLong(line.split(" ", -1)[1]))
            .sorted()
            .toArray();
    assertThat(bytes).hasSize(15);
    assertThat(bytes[7]).as(lines).isBetween(10_000L, 500_000L);
  }
}
