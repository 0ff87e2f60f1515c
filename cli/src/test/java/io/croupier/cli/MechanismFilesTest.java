package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** lab/recipes.md lists the files that a new mechanism changes, and they stay few. */
class MechanismFilesTest {
  private static final Pattern NAME = Pattern.compile("L2_?Laplace", Pattern.CASE_INSENSITIVE);
  private static final String RANDOMISER = "L2LaplaceRandomiser.java";

  /** Help, examples, advice, and an audit of some, may name a mechanism without a list of all. */
  private static final Set<String> ADVICE =
      Set.of(
          "CalibrateCommand.java",
          "ComposeCommand.java",
          "DeclarationReader.java",
          "ReleasesCommand.java");

  @Test
  void aMechanismIsInTheListedFilesAlone() throws IOException {
    Set<String> found = Recipe.filesNaming(NAME);
    assertThat(found).contains(RANDOMISER).containsAll(ADVICE);
    found.remove(RANDOMISER);
    found.removeAll(ADVICE);
    assertThat(found).isEqualTo(Recipe.files("Add a randomiser")).hasSizeLessThanOrEqualTo(11);
  }
}
