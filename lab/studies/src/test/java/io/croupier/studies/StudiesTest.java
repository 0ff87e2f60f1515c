package io.croupier.studies;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command of the README, with far too few people. */
class StudiesTest {
  @TempDir private Path out;

  @Tag("thorough")
  @Test
  void everyStudyWritesItsPageAndPictures() throws IOException {
    assertThat(run("--out", out.toString(), "--quick", "--replications", "1")).isZero();

    for (String study :
        List.of("excess-risk", "rounds", "plan", "drift", "statistics", "experiment")) {
      String page = Files.readString(out.resolve(study + ".md"));
      assertThat(page).startsWith("# ").contains("|---|", "![").doesNotContain("null");
      page.lines()
          .filter(line -> line.startsWith("![") || line.endsWith(".csv)"))
          .map(line -> line.substring(line.indexOf("](") + 2, line.length() - 1))
          .forEach(file -> assertThat(out.resolve(file)).isNotEmptyFile());
    }
    assertThat(Files.readString(out.resolve("demo.md"))).contains("|---|").doesNotContain("NaN");
  }

  @Tag("thorough")
  @Test
  void resultsDependOnTheSeedAloneNotOnThreads() throws IOException {
    String[] study = {"--quick", "--only", "excess-risk,plan"};
    Path one = out.resolve("one");
    Path three = out.resolve("three");
    Path other = out.resolve("other");
    run(with(study, "--out", one.toString(), "--threads", "1"));
    run(with(study, "--out", three.toString(), "--threads", "3"));
    run(with(study, "--out", other.toString(), "--seed", "2"));

    assertThat(pages(one)).hasSize(2).isEqualTo(pages(three)).isNotEqualTo(pages(other));
  }

  @Test
  void unknownStudiesAreRefusedByName() {
    StringWriter error = new StringWriter();
    CommandLine command = Studies.commandLine().setErr(new PrintWriter(error));

    assertThat(command.execute("--out", out.toString(), "--only", "weather")).isEqualTo(2);
    assertThat(error.toString()).contains("--only", "weather", "excess-risk");
  }

  private static int run(String... arguments) {
    return Studies.commandLine().setErr(new PrintWriter(new StringWriter())).execute(arguments);
  }

  private static String[] with(String[] arguments, String... more) {
    return Stream.concat(Stream.of(arguments), Stream.of(more)).toArray(String[]::new);
  }

  private static Map<String, String> pages(Path directory) throws IOException {
    Map<String, String> pages = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".md")).toList()) {
        pages.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    return pages;
  }
}
