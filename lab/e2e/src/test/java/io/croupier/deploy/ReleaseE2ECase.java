package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.commons.io.FileUtils;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the command of docs/run/publishing.md in a copy of the sources. */
@Tag("thorough")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class ReleaseE2ECase {
  private static final Set<String> NO_SOURCES = Set.of(".git", "target");

  @TempDir private Path copy;

  @Test
  void putsEveryPackageIntoOneFolder() throws Exception {
    FileUtils.copyDirectory(
        Cluster.ROOT.toFile(), copy.toFile(), file -> !NO_SOURCES.contains(file.getName()));
    Path printed = copy.resolve("release.log");

    Process release =
        new ProcessBuilder("lab/release", "--partial")
            .directory(copy.toFile())
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();

    assertThat(release.waitFor()).as(Files.readString(printed)).isZero();
    List<String> sums = Files.readAllLines(copy.resolve("target/release/SHA256SUMS"));
    assertThat(sums).allMatch(line -> line.matches("[0-9a-f]{64}  \\S+"));
    for (String module : List.of("client", "schemas", "privacy")) {
      for (String part : List.of("", "-sources", "-javadoc")) {
        assertThat(sums)
            .anyMatch(line -> line.matches(".*/croupier-%s-[^/]+%s\\.jar".formatted(module, part)));
      }
    }
    assertThat(sums).anyMatch(line -> line.endsWith("-cluster.jar"));
  }
}
