package io.croupier.cli;

import static io.croupier.cli.ProjectFiles.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A class of the main code can be read in one go. */
class ClassSizesTest {
  private static final Pattern MAIN = Pattern.compile("[\\w/-]+/src/main/java/.*\\.java");
  private static final int MOST_LINES = 400;

  /** No blank line, comment, import or package. */
  private static final Pattern CODE = Pattern.compile("(?!\\s*($|//|/?\\*|import |package )).*");

  private static long linesOfCode(String file) {
    return file.lines().filter(CODE.asMatchPredicate()).count();
  }

  @Test
  void noClassIsLong() throws IOException {
    Map<Path, Long> lines = new TreeMap<>();
    for (Path file : ProjectFiles.matching(MAIN.asMatchPredicate())) {
      lines.put(ROOT.relativize(file), linesOfCode(Files.readString(file)));
    }
    assertThat(lines).hasSizeGreaterThan(500);
    lines.values().removeIf(n -> n <= MOST_LINES);
    assertThat(lines).isEmpty();
  }

  @Test
  void countsCodeAlone() {
    assertThat(
            linesOfCode(
                """
                package p;

                import java.util.List;

                /**
                 * A class.
                 */
                class Counted { // counts
                  // not this
                  int i;
                }
                """))
        .isEqualTo(3);
  }
}
