package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.cli.models.ModelsFile;
import io.croupier.client.ModelSnapshot;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A model of which only the spec is known: its round 0, whatever has become of it since. What else
 * was published, whoever evaluates gradients must know.
 */
final class UnpublishedModel implements PublishedModel {
  private final ModelSnapshot initial;

  private UnpublishedModel(ModelSnapshot initial) {
    this.initial = initial;
  }

  /**
   * A model of a models file.
   *
   * @throws InputException if it isn't there, or takes no reports that are noised on the device
   */
  static UnpublishedModel read(Path file, String modelId) {
    List<ModelSpec> specs = ModelsFile.read(file);
    ModelSpec spec =
        specs.stream()
            .filter(candidate -> candidate.getModelId().equals(modelId))
            .findFirst()
            .orElseThrow(
                () ->
                    new InputException(
                        "%s: no model '%s'; there are: %s"
                            .formatted(
                                file,
                                modelId,
                                specs.stream()
                                    .map(ModelSpec::getModelId)
                                    .collect(Collectors.joining(", ")))));
    String at = "%s, model '%s': ".formatted(file, modelId);
    List<String> violations = ModelSpecs.violations(spec);
    if (!violations.isEmpty()) {
      throw new InputException(at + String.join("; ", violations));
    }
    if (ModelSpecs.isCentral(spec)) {
      throw new InputException(at + "a central model takes raw gradients, which 'report' has none");
    }
    return new UnpublishedModel(initial(spec));
  }

  private static ModelSnapshot initial(ModelSpec spec) {
    List<Double> weights = Arrays.stream(ModelSpecs.initialWeights(spec)).boxed().toList();
    return ModelSnapshot.parse(
        ModelUpdate.newBuilder()
            .setModelId(spec.getModelId())
            .setRound(0)
            .addAllWeights(weights)
            .addAllAverage(weights)
            .setGridExponent(ModelSpecs.gridExponent(spec))
            .setGradientBound(spec.getGradientBound())
            .setAnswerProbability(ModelSpecs.answerProbability(spec))
            .build()
            .toByteArray());
  }

  @Override
  public ModelSnapshot newest() {
    return initial;
  }

  @Override
  public Optional<ModelSnapshot> after(long round) {
    return Optional.empty();
  }

  @Override
  public void requirePublished(long round) {
    // Nobody here knows.
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
