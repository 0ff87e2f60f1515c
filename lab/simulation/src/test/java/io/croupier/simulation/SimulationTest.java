package io.croupier.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.simulation.WorldRun.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Worlds in which the product runs as it is. */
class SimulationTest {
  /**
   * The totals of a person are forgotten while a report is being judged, whose event stays; then
   * another erasure replaces the record that forgot them, and names that event.
   */
  @Test
  @Tag("ci")
  void nothingIsFoundWhereAnEventOutlivesForgottenTotals() {
    assertThat(finding(1795952566215003720L)).isEmpty();
  }

  /** What is found in a world, with the shortest schedule that shows it, or "". */
  static String finding(long seed) {
    Outcome outcome = WorldRun.run(seed, new Parts());
    return outcome.finding().isEmpty()
        ? ""
        : Simulate.report(seed, Shrinker.shrink(seed, Parts::new, outcome));
  }

  /** The output names the first seed, and the seed of each finding. */
  @Test
  @Tag("ci")
  void nothingIsFoundInOtherSeeds() {
    assertThat(new CommandLine(new Simulate()).execute("--seeds", "4000", "--threads", "3"))
        .isZero();
  }

  @Test
  @Tag("thorough")
  void nothingIsFoundInAnHour() {
    assertThat(new CommandLine(new Simulate()).execute("--minutes", "60")).isZero();
  }

  /** With the order of Java's immutable sets, seed 13 is one of two worlds in each process. */
  @Tag("ci")
  @ParameterizedTest
  @ValueSource(longs = {7, 13})
  void theSameSeedIsTheSameWorld(long seed) throws IOException, InterruptedException {
    List<String> once = WorldRun.run(seed, new Parts()).lines();

    assertThat(WorldRun.run(seed, new Parts()).lines()).isEqualTo(once);
    String inOtherProcess = new String(output(seed), StandardCharsets.UTF_8);
    assertThat(inOtherProcess.lines().toList()).startsWith(once.toArray(String[]::new));
  }

  private static byte[] output(long seed) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "--add-opens=java.base/java.util=ALL-UNNAMED",
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Simulate.class.getName(),
                "--seed",
                String.valueOf(seed))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    byte[] output = process.getInputStream().readAllBytes();
    assertThat(process.waitFor()).isZero();
    return output;
  }
}
