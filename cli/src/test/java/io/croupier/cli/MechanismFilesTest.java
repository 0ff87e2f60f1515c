package io.croupier.cli;

import static io.croupier.cli.ProjectFiles.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** CONTRIBUTING.md lists the files that a new mechanism changes, and they stay few. */
class MechanismFilesTest {

  /** Studies and benchmarks measure some mechanisms only. */
  private static final Pattern MAIN =
      Pattern.compile("(?!studies|bench)\\w+/src/main/.*\\.(java|proto)");

  private static final Pattern COMMENT = Pattern.compile("//[^\n]*|/\\*.*?\\*/", Pattern.DOTALL);
  private static final Pattern NAME = Pattern.compile("L2_?Laplace", Pattern.CASE_INSENSITIVE);
  private static final Pattern ROW = Pattern.compile("\\n\\|[^|]*\\| `(\\w+\\.\\w+)` \\|");
  private static final String RANDOMISER = "L2LaplaceRandomiser.java";

  /** Help, examples and advice to users may name a mechanism without being a list of all. */
  private static final Set<String> ADVICE =
      Set.of("CalibrateCommand.java", "ComposeCommand.java", "DeclarationReader.java");

  @Test
  void aMechanismIsInTheListedFilesAlone() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path file : ProjectFiles.matching(MAIN.asMatchPredicate())) {
      if (names(Files.readString(file))) {
        found.add(file.getFileName().toString());
      }
    }
    assertThat(found).contains(RANDOMISER).containsAll(ADVICE);
    found.remove(RANDOMISER);
    found.removeAll(ADVICE);
    String recipes = Files.readString(ROOT.resolve("CONTRIBUTING.md"));
    Set<String> listed =
        ROW.matcher(recipes.substring(recipes.indexOf("**Add a randomiser.**")))
            .results()
            .map(row -> row.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(found).isEqualTo(listed).hasSizeLessThanOrEqualTo(9);
  }

  private static boolean names(String code) {
    return NAME.matcher(COMMENT.matcher(code).replaceAll(""))
        .results()
        .map(MatchResult::group)
        .findAny()
        .isPresent();
  }
}
