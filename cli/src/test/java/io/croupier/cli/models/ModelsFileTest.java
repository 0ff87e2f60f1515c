package io.croupier.cli.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.croupier.cli.InputException;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModelsFileTest {

  @TempDir Path directory;

  @Test
  void readsAYamlList() throws Exception {
    Path file = directory.resolve("models.yaml");
    Files.writeString(
        file,
        """
        # Two models.
        - modelId: taps
          dimension: 3
          gradientBound: 1e-09
          initialWeights: [0, 1e-3, -2]
          blackBox: {}
          limits: {epsilon: 4}
        - modelId: "clicks"
          dimension: 2
          gradientBound: .5
          blackBox:
            prior:
              conjugate: {b: 1}
        """);

    List<ModelSpec> specs = ModelsFile.read(file);

    assertThat(specs).extracting(ModelSpec::getModelId).containsExactly("taps", "clicks");
    assertThat(specs.get(0).getGradientBound()).isEqualTo(1e-9);
    assertThat(specs.get(0).getInitialWeightsList()).containsExactly(0.0, 1e-3, -2.0);
    assertThat(specs.get(0).hasBlackBox()).isTrue();
    assertThat(specs.get(0).getLimits().getEpsilon()).isEqualTo(4);
    assertThat(specs.get(1).getBlackBox().getPrior().getConjugate().getB()).isEqualTo(1);
  }

  @Test
  void readsAnAdaptiveClip() {
    List<ModelSpec> specs =
        ModelsFile.parse(
            "models.yaml",
            """
            - modelId: m
              dimension: 3
              blackBox: {}
              adaptiveClip: {size: FEATURES, initial: 0.5, slopeBound: 1.345, slopeRule: true}
            - {modelId: n, dimension: 1, blackBox: {}, adaptiveClip: {size: GRADIENT}}
            """);

    assertThat(specs)
        .extracting(ModelSpec::getAdaptiveClip)
        .containsExactly(
            AdaptiveClip.newBuilder()
                .setSize(AdaptiveClip.Size.FEATURES)
                .setInitial(0.5)
                .setSlopeBound(1.345)
                .setSlopeRule(true)
                .build(),
            AdaptiveClip.newBuilder().setSize(AdaptiveClip.Size.GRADIENT).build());
    assertThat(specs).allSatisfy(spec -> assertThat(ModelSpecs.violations(spec)).isEmpty());
    assertThat(ModelsFile.parse("models.yaml", ModelsFile.text(specs))).isEqualTo(specs);
  }

  @Test
  void readsWhatItWrites() {
    List<ModelSpec> specs =
        ModelsFile.parse(
            "models.yaml",
            """
            - {modelId: m, dimension: 3, gradientBound: 1.0E-4, initialWeights: [0.1, 1e300, -0.0],
               roundTimeoutMs: 5000, blackBox: {}}
            - {modelId: n, dimension: 1, gradientBound: 1,
               banco: {strongestNoise: {subExponential: {variance: 0, betaMax: .inf}}}}
            """);

    assertThat(ModelsFile.parse("again.yaml", ModelsFile.text(specs))).isEqualTo(specs);
    assertThat(ModelsFile.parse("none.yaml", ModelsFile.text(List.of()))).isEmpty();
  }

  @Test
  void readsPlainJson() {
    String json =
        """
        [{"modelId":"m","dimension":2,"gradientBound":1,
          "banco":{"strongestNoise":{"subExponential":{"variance":0,"betaMax":"Infinity"}}}}]
        """;

    ModelSpec spec = ModelsFile.parse("m.json", json).get(0);

    var noise = spec.getBanco().getStrongestNoise().getSubExponential();
    assertThat(noise.hasVariance()).isTrue();
    assertThat(noise.getVariance()).isZero();
    assertThat(noise.getBetaMax()).isEqualTo(Double.POSITIVE_INFINITY);
  }

  /** By YAML's schemas these are 1.1, 123, 100.0, 31, infinity and so on. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.10",
        "0123",
        "1e2",
        "0x1F",
        "0o17",
        ".inf",
        "-0",
        "+1",
        "1.",
        "yes",
        "no",
        "true",
        "False",
        "2026-01-01",
        "1_000",
        "12345678901234567890",
        "0.10000000000000000001"
      })
  void aTextIsReadAsItIsWritten(String name) {
    String yaml =
        "- {modelId: %1$s, dimension: 007, gradientBound: 1e0,"
            + " features: [{name: %1$s, oneHot: {categories: [%1$s, '%1$s']}}]}";

    ModelSpec spec = ModelsFile.parse("m.yaml", yaml.formatted(name)).get(0);

    assertThat(spec.getModelId()).isEqualTo(name);
    assertThat(spec.getFeatures(0).getName()).isEqualTo(name);
    assertThat(spec.getFeatures(0).getOneHot().getCategoriesList()).containsExactly(name, name);
    assertThat(spec.getDimension()).isEqualTo(7);
    assertThat(spec.getGradientBound()).isEqualTo(1);
  }

  @Test
  void acceptsYamlInfinity() {
    String yaml = "- {modelId: m, banco: {strongestNoise: {subExponential: {betaMax: .inf}}}}";

    ModelSpec spec = ModelsFile.parse("m.yaml", yaml).get(0);

    assertThat(spec.getBanco().getStrongestNoise().getSubExponential().getBetaMax())
        .isEqualTo(Double.POSITIVE_INFINITY);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "modelID: a | modelID is unknown: did you mean modelId?",
        "dimensions: 3 | dimensions is unknown: did you mean dimension?",
        "blackbox: {} | blackbox is unknown: did you mean blackBox?",
        "learner: combined | learner is unknown: write one of banco, blackBox, coordinateWise,",
        "questionProbability: 0.1 | questionProbability is set twice, as question_probability, too",
        "flavour: mild | flavour is unknown: the fields are modelId, dimension,",
        "limits: {delt: 1e-6} | limits.delt is unknown: did you mean delta?",
        "dimension: twenty | dimension is \"twenty\": it must be a whole number",
        "dimension: 0x1F | dimension is \"0x1F\": it must be a whole number",
        "dimension: \u0661 | dimension is \"\u0661\": it must be a whole number",
        "gradientBound: 1d | gradientBound is \"1d\": it must be a number",
        "modelId: ~ | modelId has no value: leave it out",
        "dimension: 2.5 | dimension is 2.5: it must be a whole number",
        "gradientBound: much | gradientBound is \"much\": it must be a number",
        "gradientBound: | gradientBound has no value: leave it out",
        "blackBox: | blackBox has no value: write blackBox: {}",
        "blackBox: {prior: conjugate} | blackBox.prior is \"conjugate\": it must be a map: write prior: {conjugate: {}}",
        "combined: {learningRate: 3} | combined.learningRate is unknown: combined has no settings",
        "adaptiveClip: {size: FEATURE} | adaptiveClip.size is \"FEATURE\": it must be one of FEATURES, GRADIENT",
        "initialWeights: [1, x] | initialWeights is [1,\"x\"]: it must be a list, each element a number",
        "banco: {strongestNoise: {l2Laplace: {epsilon: much}}} | banco.strongestNoise.l2Laplace.epsilon is \"much\": it must be a number",
      })
  void namesLineAndFieldAndWhatWouldBeRight(String field, String fault) {
    assertThatThrownBy(() -> ModelsFile.parse("m.yaml", "- question_probability: 0.5\n  " + field))
        .isInstanceOf(InputException.class)
        .message()
        .startsWith("m.yaml, line 2: " + fault)
        .hasLineCount(1);
  }

  /** A file must have these faults, each in a line; three dots stand for its end. */
  private static AbstractStringAssert<?> assertFaults(String yaml, String... faults) {
    Throwable refusal =
        catchThrowable(() -> ModelsFile.parse("m.yaml", yaml, ModelSpecs::violations));
    assertThat(refusal).isInstanceOf(InputException.class);
    assertThat(refusal.getMessage().lines().toList())
        .zipSatisfy(
            List.of(faults),
            (line, fault) -> {
              if (fault.endsWith("...")) {
                assertThat(line).startsWith("m.yaml, line " + fault.replace("...", ""));
              } else {
                assertThat(line).isEqualTo("m.yaml, line " + fault);
              }
            });
    return assertThat(refusal.getMessage());
  }

  @Test
  void namesAllFaultsOfAllModels() {
    assertFaults(
            """
            - modelId: taps
              dimension: -2
              blackBox: {}
              ldpSgd: {}
            - modelId: "my clicks!"
              dimension: 3
              gradientBound: 1
            - modelId: walks
              dimension: twenty
              gradientBound: 1
              ldpSgd: {decay: 2}
            - 3
            - modelId: taps
              dimension: 1
              gradientBound: 1
              blackBocks: {}
            """,
            "4, model 'taps': ldpSgd is set beside...",
            "2, model 'taps': dimension is -2: ...",
            "1, model 'taps': gradientBound is miss...",
            "5, model 'my clicks!': modelId is ...",
            "5, model 'my clicks!': a learner is miss...",
            "9, model 'walks': dimension is \"twenty\": it must be a whole number",
            "11, model 'walks': ldpSgd.stepSize is mi...",
            "11, model 'walks': ldpSgd.decay is 2.0...",
            "12: a model must be a map of fields, not 3",
            "16, model 'taps': blackBocks is unknown: did you mean blackBox?",
            "13: modelId 'taps' occurs twice in the file")
        .containsPattern("gradientBound is miss.*unless adaptiveClip finds one\\R")
        .containsPattern(
            "learner is miss[^_]* write combined: \\{}, or another one of banco, blackBox,"
                + " [^_]*, unless the model has statistics\\R");
  }

  /** Lists of maps have a line for each fault, too. */
  @Test
  void namesAllFaultsOfFeatures() {
    assertFaults(
        """
        - modelId: wellbeing
          dimension: 4
          gradientBound: 2
          combined: {}
          questions:
            - name: accuracy
              acuracy: {}
          features:
            - {name: one, intercept: {}}
            - name: walked
              range: {from: 180, to: 0}
            - {name: slept, moment: {mean: 7, deviation: 1}}
            - name: shift
              oneHot:
                categories: [day, night, day]
            - {name: well, yesNo: maybe}
            - {name: one, encoder: {digest: abc}}
        """,
        "7, model 'wellbeing': questions[0].acuracy is unknown: did you mean accuracy?",
        "12, model 'wellbeing': features[2].moment is unknown: did you mean moments?",
        "16, model 'wellbeing': features[4].yesNo is \"maybe\": it must be a map: write yesNo: {}",
        "11, model 'wellbeing': features[1].range.to is 0.0: it must be above 180.0",
        "15, model 'wellbeing': features[3].oneHot.categories[2] is \"day\": it must be another than"
            + " those before it",
        "17, model 'wellbeing': features[5].name is \"one\": it must be another than those before it",
        "17, model 'wellbeing': features[5].encoder.digest is \"abc\": it must be a SHA-256 of 64"
            + " digits from 0 to 9 and a to f",
        "17, model 'wellbeing': features[5].encoder.length is missing: it must be from 1 to 65536");
  }

  @Test
  void featuresMustBeAListOfMaps() {
    for (String wrong : List.of("3", "[walked]", "{name: walked}")) {
      assertRefused(
          "- {modelId: m, features: " + wrong + "}",
          "m.yaml, line 1",
          "it must be a list, each element a map with fields of name, intercept, range");
    }
  }

  @Test
  void namesTheDimensionBesideWhatTheFeaturesMake() {
    assertFaults(
        """
        - modelId: m
          gradientBound: 2
          dimension: 3
          combined: {}
          features: [{name: one, intercept: {}}, {name: well, yesNo: {}}]
        """,
        "3, model 'm': dimension is 3: it must be 2, the number of values that the features make, or"
            + " for k classes k times as much");
  }

  /** The example of docs/reference/commands.md: what is misspelt is not missing, too. */
  @Test
  void aMisspeltFieldIsOneFault() {
    assertFaults(
        """
        - modelId: clicks
          dimensions: 3
          gradientBound: 1
          blackBox:
        """,
        "2, model 'clicks': dimensions is unknown: did you mean dimension?",
        "4, model 'clicks': blackBox has no value: write blackBox: {}");
  }

  @Test
  void sentencesHaveNamesOfYaml() {
    assertThat(YamlNames.in("ldp_sgd.step_size is missing: with adaptive_clip, each_other too"))
        .isEqualTo("ldpSgd.stepSize is missing: with adaptiveClip, each_other too");
  }

  @Test
  void refusesWhatIsNoListOfModels() {
    assertRefused("[3]", "m.yaml, line 1", "map");
    assertRefused("modelId: a", "m.yaml", "list");
    assertRefused("[{modelId: a, modelId: b}]", "m.yaml", "duplicate");
    assertRefused("[{modelId: ", "m.yaml", "not YAML");
  }

  @Test
  void aMissingFileIsReported() {
    assertThatThrownBy(() -> ModelsFile.read(directory.resolve("none.yaml")))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("none.yaml: no such file");
  }

  private static void assertRefused(String yaml, String... parts) {
    assertThatThrownBy(() -> ModelsFile.parse("m.yaml", yaml))
        .isInstanceOf(InputException.class)
        .hasMessageContainingAll(parts);
  }
}
