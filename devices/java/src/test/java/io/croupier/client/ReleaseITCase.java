package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the profile {@code release} makes of each published module. Skipped, with a message, in
 * builds without it.
 */
class ReleaseITCase {
  /** {@code project.build.outputTimestamp}. */
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 1, 1, 0, 0);

  @ParameterizedTest
  @CsvSource({"client, devices/java", "schemas, schemas", "privacy, privacy"})
  void isComplete(String module, String folder) throws IOException {
    Path target = Path.of("../..", folder, "target");
    String sources = "croupier-%s-[0-9.]+(-SNAPSHOT)?-sources\\.jar".formatted(module);
    assumeTrue(System.getProperty("release") != null, "Skipped: needs -Prelease -Drelease");
    assertThat(names(only(target, sources)))
        .anyMatch(name -> name.matches("io/croupier/.*\\.java"));
    assertThat(names(only(target, sources.replace("-sources", "-javadoc")))).contains("index.html");
    assertThat(names(only(target, sources.replace("-sources", ""))))
        .contains("META-INF/LICENSE")
        .anyMatch(name -> name.matches("io/croupier/.*\\.class"));
    assertThat(target.resolve("croupier-bom.json")).content().contains("\"CycloneDX\"");
  }

  /** Two builds of the same sources differ in nothing else. */
  private static List<String> names(Path jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      List<? extends ZipEntry> entries = zip.stream().toList();
      assertThat(entries).extracting(ZipEntry::getTimeLocal).as(jar.toString()).containsOnly(TIME);
      return entries.stream().map(ZipEntry::getName).toList();
    }
  }

  private static Path only(Path folder, String name) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      List<Path> found = all.filter(path -> path.getFileName().toString().matches(name)).toList();
      assertThat(found).as(name).hasSize(1);
      return found.get(0);
    }
  }
}
