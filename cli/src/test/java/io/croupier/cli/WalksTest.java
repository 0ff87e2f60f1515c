package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The walks of lab/walks.md lead from file to file, and stay short. */
class WalksTest {
  private static final Path PAGE = Path.of("..", "lab/walks.md");
  private static final Pattern ROW =
      Pattern.compile("\\| (\\d+) \\| \\[(\\w+)]\\(([^)]+)\\) \\|.*");

  private static final Map<String, Integer> MOST_FILES =
      Map.of(
          "Change a learner's step", 10,
          "Change when a model publishes", 8,
          "Change what a report costs", 20,
          "Change a kind of report", 9);

  /** The files of each walk, in their order. */
  private static Map<String, List<Path>> walks() throws IOException {
    Map<String, List<Path>> walks = new LinkedHashMap<>();
    List<Path> files = List.of();
    for (String line : Files.readAllLines(PAGE)) {
      if (line.startsWith("## ")) {
        files = new ArrayList<>();
        walks.put(line.substring(3), files);
      }
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        Path file = PAGE.resolveSibling(row.group(3)).normalize();
        files.add(file);
        assertThat(Integer.parseInt(row.group(1))).as(line).isEqualTo(files.size());
        assertThat(name(file)).as(line).isEqualTo(row.group(2));
      }
    }
    return walks;
  }

  private static String name(Path file) {
    return file.getFileName().toString().replace(".java", "");
  }

  @Test
  void theyAreShort() throws IOException {
    Map<String, List<Path>> walks = walks();
    assertThat(walks).containsOnlyKeys(MOST_FILES.keySet());
    walks.forEach(
        (walk, files) ->
            assertThat(files)
                .as(walk)
                .hasSizeBetween(2, MOST_FILES.get(walk))
                .doesNotHaveDuplicates());
  }

  @Test
  void everyFileIsMentionedByAnEarlierOne() throws IOException {
    for (Map.Entry<String, List<Path>> walk : walks().entrySet()) {
      StringBuilder before = new StringBuilder();
      for (Path file : walk.getValue()) {
        if (!before.isEmpty()) {
          assertThat(before)
              .as("%s: %s", walk.getKey(), name(file))
              .containsPattern("\\b" + name(file) + "\\b");
        }
        before.append(Files.readString(file));
      }
    }
  }

  /** Tests that a walk ends with exist. */
  @Test
  void theNamedTestsExist() throws IOException {
    Matcher names = Pattern.compile("`(\\w+(?:Test|Contract))`").matcher(Files.readString(PAGE));
    List<String> tests = new ArrayList<>();
    while (names.find()) {
      tests.add(names.group(1) + ".java");
    }
    assertThat(tests).hasSizeGreaterThanOrEqualTo(8);
    for (String test : tests) {
      assertThat(ProjectFiles.matching(path -> path.endsWith("/" + test))).as(test).isNotEmpty();
    }
  }
}
