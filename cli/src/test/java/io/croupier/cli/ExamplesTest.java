package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.models.ModelsFile;
import io.croupier.client.Features;
import io.croupier.job.config.JobConfig;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.learner.Learners;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The example files that the README names are valid and match its description. */
class ExamplesTest {
  private static final Path EXAMPLES = Path.of("..", "examples");

  @Test
  void everyModelOfTheExampleCanRun() {
    List<ModelSpec> specs = ModelsFile.read(EXAMPLES.resolve("models.yaml"));

    assertThat(specs).extracting(ModelSpec::getModelId).startsWith("demo").hasSize(3);
    assertThat(specs).allSatisfy(spec -> assertThat(ModelSpecs.violations(spec)).isEmpty());
    assertThat(specs).allSatisfy(spec -> assertThat(Learners.of(spec).initial()).isNotNull());
  }

  @Test
  void theCentralModelEqualsTheDocumentedOneAndCanRun() throws Exception {
    Path file = EXAMPLES.resolve("central.yaml");
    String model =
        Files.readString(file).lines().filter(line -> !line.startsWith("#")).collect(joining("\n"));
    assertThat(Files.readString(Path.of("..", "docs/plan/central.md")))
        .contains("# examples/central.yaml\n" + model + "\n```");

    assertThat(ModelsFile.read(file))
        .singleElement()
        .satisfies(
            spec ->
                assertThat(new SpecRequirements(1 << 20, 1 << 20, Duration.ofDays(1)).apply(spec))
                    .isEmpty());
  }

  @Test
  void theReadmesModelIsValid(@TempDir Path directory) throws Exception {
    Matcher spec =
        Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("..", "README.md")));
    assertThat(spec.find()).isTrue();
    Path file = Files.writeString(directory.resolve("readme.yaml"), spec.group(1));
    assertThat(ModelsFile.read(file))
        .singleElement()
        .satisfies(model -> assertThat(ModelSpecs.violations(model)).isEmpty());
  }

  @ParameterizedTest
  @CsvSource({"clip.yaml, build/clip.md", "wellbeing.yaml, build/model.md"})
  void theModelWhoseClipTheJobFindsEqualsTheDocumentedOneAndCanRun(String example, String page)
      throws Exception {
    Path file = EXAMPLES.resolve(example);
    String model =
        Files.readString(file).lines().filter(line -> !line.startsWith("#")).collect(joining("\n"));
    assertThat(Files.readString(Path.of("..", "docs", page)))
        .contains("# examples/" + example + "\n" + model + "\n```");

    assertThat(ModelsFile.read(file))
        .singleElement()
        .satisfies(
            spec -> {
              assertThat(ModelSpecs.violations(spec)).isEmpty();
              assertThat(spec.getAdaptiveClip().getSize()).isEqualTo(AdaptiveClip.Size.FEATURES);
              assertThat(Learners.of(spec).initial()).isNotNull();
            });
  }

  @Test
  void theFeaturesOfTheModelMakeWhatThePagesCodeMakes() {
    ModelSpec spec = ModelsFile.readValid(EXAMPLES.resolve("wellbeing.yaml")).get(0);
    Features features = new Features(spec.getFeaturesList());
    Map<String, ?> day = Map.of("minutesWalked", 45, "hoursSlept", 9, "shift", "night");

    assertThat(features.list()).hasSize(4);
    assertThat(features.size()).isEqualTo(spec.getDimension());
    assertThat(features.vector(day)).containsExactly(1, -0.5, 0.5, 0, 1, 0);
    assertThat(features.largestNorm()).isEqualTo(2);
  }

  /** Other tests run each of them. */
  @Test
  void theProgramsCompile(@TempDir Path classes) throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES.resolve("java"))) {
      List<String> arguments =
          new ArrayList<>(
              List.of(
                  "-Xlint:all,-processing,-path,-classfile",
                  "-proc:none",
                  "-Werror",
                  "-cp",
                  System.getProperty("java.class.path"),
                  "-d",
                  classes.toString()));
      files.map(Path::toString).forEach(arguments::add);
      ByteArrayOutputStream errors = new ByteArrayOutputStream();
      int status =
          ToolProvider.getSystemJavaCompiler()
              .run(null, null, errors, arguments.toArray(String[]::new));
      assertThat(status).as(errors.toString(UTF_8)).isZero();
    }
  }

  @Test
  void thePageShowsTheProgram() throws IOException {
    assertThat(Files.readString(Path.of("..", "docs/build/clients.md")))
        .contains(
            "```java\n" + Files.readString(EXAMPLES.resolve("java/ReportWellbeing.java")) + "```");
  }

  @Test
  void theExampleSettingsAreValid() {
    JobConfig config = JobConfig.load(EXAMPLES.resolve("croupier.yaml"), Map.of());

    assertThat(config.kafka()).containsEntry("bootstrap.servers", "localhost:9092");
    assertThat(config.flink().parallelism()).isEqualTo(2);
  }

  @Test
  void theBuildServerRunsTheReadmesBuild() throws Exception {
    List<String> commands =
        Files.readAllLines(Path.of("..", ".ci", "run")).stream()
            .filter(line -> line.matches("(mvn |lab/).*"))
            .toList();

    assertThat(commands).containsExactly("mvn -B verify -Pci");
    assertThat(Files.readAllLines(Path.of("..", "README.md")))
        .as("the quick build, that of CI and the thorough one")
        .anyMatch(line -> line.matches("mvn verify  +#.*"))
        .anyMatch(line -> line.matches("mvn verify -Pci  +#.*"))
        .anyMatch(line -> line.matches("mvn verify -Pthorough  +#.*"));
  }

  /** The randomiser is not seeded; a false alarm has a probability of at most 1e-6. */
  @Tag("ci")
  @Test
  void theDocumentedAuditRefutesNothing() throws Exception {
    List<String> commands =
        Files.readAllLines(Path.of("..", "docs/run/audit.md")).stream()
            .filter(line -> line.startsWith("./croupier audit --"))
            .toList();
    assertThat(commands).hasSize(1);
    CommandRun.croupier(commands.get(0).replace("./croupier ", ""))
        .printed("Not refuted: l2-laplace, epsilon 1.000, d 2.");
  }
}
