package io.croupier.cli.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.cli.InputException;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

  @Test
  void acceptsYamlInfinity() {
    String yaml = "- {modelId: m, banco: {strongestNoise: {subExponential: {betaMax: .inf}}}}";

    ModelSpec spec = ModelsFile.parse("m.yaml", yaml).get(0);

    assertThat(spec.getBanco().getStrongestNoise().getSubExponential().getBetaMax())
        .isEqualTo(Double.POSITIVE_INFINITY);
  }

  @Test
  void anErrorNamesFileEntryAndField() {
    assertRefused(
        "[{modelId: a}, {modelId: b, banco: {strongestNoise: {l2Laplace: {epsilon: much}}}}]",
        "m.yaml, entry 2, banco.strongestNoise.l2Laplace.epsilon",
        "much");
    assertRefused("[{modelId: a, dimensions: 3}]", "m.yaml, entry 1, dimensions", "dimensions");
    assertRefused("[{modelId: a, dimension: 2.5}]", "m.yaml, entry 1, dimension", "2.5");
    assertRefused("[{modelId: a, blackBox: {}, banco: {}}]", "m.yaml, entry 1", "banco");
    assertRefused("[{modelId: a}, {modelId: a}]", "m.yaml, entry 2", "'a' occurs twice");
    assertRefused("[3]", "m.yaml, entry 1", "map");
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
