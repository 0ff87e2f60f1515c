package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.cli.follow.PublishedModel;
import io.croupier.cli.models.ModelsFile;
import io.croupier.cli.models.YamlNames;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.RoundTerms;
import io.croupier.operators.model.LocalModel;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Round 0 of a model, computed from its spec alone. Later rounds are unknown here; callers that
 * evaluate gradients must know which rounds are published.
 */
record UnpublishedModel(ModelSnapshot initial) implements PublishedModel {
  /**
   * Reads a model from a models file.
   *
   * @throws InputException if the file lacks the model, or the model is central and so doesn't
   *     accept noised reports
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
                        "%s: no model '%s'; the file contains: %s"
                            .formatted(
                                file,
                                modelId,
                                specs.stream()
                                    .map(ModelSpec::getModelId)
                                    .collect(Collectors.joining(", ")))));
    String at = "%s, model '%s': ".formatted(file, modelId);
    List<String> violations = ModelSpecs.violations(spec);
    if (!violations.isEmpty()) {
      throw new InputException(at + YamlNames.in(String.join("; ", violations)));
    }
    if (ModelSpecs.isCentral(spec)) {
      throw new InputException(
          at
              + "the model is central and takes raw gradients; 'report' sends"
              + " only noised ones");
    }
    return new UnpublishedModel(initial(ModelSpecs.current(spec)));
  }

  /** What the job would publish first. */
  private static ModelSnapshot initial(ModelSpec spec) {
    return new LocalModel(spec, 0)
        .publish(true, 0)
        .map(update -> ModelSnapshot.parse(update.toByteArray()))
        .orElseThrow();
  }

  @Override
  public ModelSnapshot newest() {
    return initial;
  }

  @Override
  public Optional<ModelSnapshot> after(Predicate<ModelSnapshot> isKnown) {
    return Optional.empty();
  }

  /** The published rounds are unknown here; those of a fixed clip have the same terms. */
  @Override
  public RoundTerms published(long round) {
    try {
      return initial.terms().at(round);
    } catch (IllegalArgumentException e) {
      throw new InputException(
          ("'round' is %d; without Kafka it must be 0 for a model with adaptiveClip, since the"
                  + " clips of later rounds are unknown")
              .formatted(round),
          e);
    }
  }

  @Override
  public void close() {
    // There are no resources to close.
  }
}
