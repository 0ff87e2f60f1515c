package io.croupier.cli;

import static io.croupier.cli.ProjectFiles.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A simple name means one class in the main code of all modules, nested classes included. */
class ClassNamesTest {
  private static final Pattern MAIN = Pattern.compile("[\\w/-]+/src/main/java/.*\\.java");

  /** Text that may contain words of a declaration. */
  private static final Pattern TEXT =
      Pattern.compile(
          "'(?:\\\\.|[^'\\\\])+'|//[^\n]*|/\\*.*?\\*/|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"",
          Pattern.DOTALL);

  private static final Pattern DECLARATION =
      Pattern.compile("(?<![.\\w])(?:class|interface|enum|record)\\s+([A-Z]\\w*)");

  /** State contains their full names, and each is nested in the class that it belongs to. */
  private static final Set<String> NESTED = Set.of("Snapshot", "State");

  private static List<String> declared(String code) {
    return DECLARATION
        .matcher(TEXT.matcher(code).replaceAll(" "))
        .results()
        .map(match -> match.group(1))
        .toList();
  }

  @Test
  void noSimpleNameIsDeclaredTwice() throws IOException {
    Map<String, List<Path>> files = new TreeMap<>();
    for (Path file : ProjectFiles.matching(MAIN.asMatchPredicate())) {
      for (String name : declared(Files.readString(file))) {
        files.computeIfAbsent(name, key -> new ArrayList<>()).add(ROOT.relativize(file));
      }
    }
    assertThat(files).hasSizeGreaterThan(500).containsKeys("Mechanism", "Snapshot");
    files.keySet().removeAll(NESTED);
    files.values().removeIf(declarations -> declarations.size() == 1);
    assertThat(files).isEmpty();
  }

  @Test
  void findsDeclarationsAlone() {
    assertThat(
            declared(
                """
                /** The class Comment. */
                final class Outer { // of record Line
                  private record Row(Class<?> type) {}
                  enum Kind { A }
                  @interface Marker {}
                  Object o = Outer.class; String s = "class Text";
                }
                """))
        .containsExactly("Outer", "Row", "Kind", "Marker");
  }
}
