package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.ModelSpec.LearnerCase;
import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** lab/recipes.md lists the files that a new local learner changes, and they stay few. */
class LearnerFilesTest {
  private static final String RECIPE = "Add a local learner";

  /** Help, examples and advice to users may name a learner without being a list of all. */
  private static final Set<String> ADVICE =
      Set.of(
          "DemoCommand.java",
          "DemoData.java",
          "ModelsCommand.java",
          "NoiseOptions.java",
          "YamlNames.java");

  /** Further files of a learner, and of what no other learner has. */
  private static final Map<LearnerCase, Set<String>> PECULIAR =
      Map.of(
          // A clip that moves.
          LearnerCase.BLACK_BOX,
          Set.of("AdaptiveClips.java"),
          // And the law of what it learns, for plans.
          LearnerCase.COMBINED,
          Set.of("AdaptiveClips.java", "LearningLaw.java", "Plan.java", "PlanCommand.java"),
          // Undisclosed reports, of which it trims each coordinate.
          LearnerCase.COORDINATE_WISE,
          Set.of("ReportIntake.java"),
          // Its state of earlier releases, from which it continues.
          LearnerCase.LDP_SGD,
          Set.of("FormerState.java"),
          // The strongest noise that it bets on.
          LearnerCase.BANCO,
          Set.of(
              "AdmissionRules.java",
              "DirectionalNoise.java",
              "TakePart.java",
              "VectorContent.java"));

  @Test
  void theRecipeListsFewFiles() throws IOException {
    assertThat(Recipe.files(RECIPE)).hasSizeLessThanOrEqualTo(6);
  }

  /** This learner has a prior and a default, so it needs every file of the recipe. */
  @Test
  void theCoordinateWiseLearnerIsInEveryListedFile() throws IOException {
    assertThat(files(LearnerCase.COORDINATE_WISE)).isEqualTo(Recipe.files(RECIPE));
  }

  /** A deprecated name is not a learner. */
  @ParameterizedTest
  @EnumSource(
      mode = Mode.MATCH_NONE,
      names = {"DP_FTRL.*", "LEARNER_NOT_SET", "ADAPTIVE_RADIUS"})
  void aLocalLearnerIsInListedFilesAlone(LearnerCase learner) throws IOException {
    assertThat(files(learner)).isNotEmpty().isSubsetOf(Recipe.files(RECIPE));
  }

  /** The main files that name a learner, without the learners' classes and those named above. */
  private static Set<String> files(LearnerCase learner) throws IOException {
    String[] words = learner.name().split("_");
    Set<String> found =
        Recipe.filesNaming(Pattern.compile(String.join("[-_]?", words), Pattern.CASE_INSENSITIVE));
    Set<String> peculiar = PECULIAR.getOrDefault(learner, Set.of());
    assertThat(found).containsAll(peculiar);
    Set<String> others = new TreeSet<>(found);
    others.removeAll(peculiar);
    others.removeAll(ADVICE);
    Arrays.stream(LearnerCase.values())
        .map(learnerCase -> className(learnerCase.name().split("_")))
        .forEach(others::remove);
    return others;
  }

  private static String className(String... words) {
    return Arrays.stream(words)
        .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
        .reduce("", String::concat)
        .concat(".java");
  }
}
