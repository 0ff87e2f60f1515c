package io.croupier.cli.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.models.ModelChange.ChangeKind;
import io.croupier.schemas.AdaptiveRadius;
import io.croupier.schemas.History;
import io.croupier.schemas.ModelSpec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ModelChangeTest {

  private static final ModelSpec SPEC =
      ModelsFile.parse("m", "[{modelId: m, dimension: 2, gradientBound: 1, blackBox: {}}]").get(0);

  @Test
  void aNewModelIsCreated() {
    assertThat(change(SPEC, Map.of()).kind()).isEqualTo(ChangeKind.CREATED);
  }

  @Test
  void theSameSpecIsUnchanged() {
    assertThat(change(SPEC, Map.of("m", SPEC)).kind()).isEqualTo(ChangeKind.UNCHANGED);
  }

  @Test
  void limitsMayChange() {
    ModelSpec next = SPEC.toBuilder().setMaxStaleness(3).build();

    assertThat(change(next, Map.of("m", SPEC)).kind()).isEqualTo(ChangeKind.CHANGED);
  }

  /** Which an operator made after the file was written. */
  @Test
  void aRollBackStaysUntilTheHistoryOrAnotherRoundIsApplied() {
    ModelSpec kept = SPEC.toBuilder().setHistory(History.newBuilder().setAverages(3)).build();
    ModelSpec back = kept.toBuilder().setServedRound(7).build();

    assertThat(change(kept, Map.of("m", back)).kind()).isEqualTo(ChangeKind.UNCHANGED);
    assertThat(change(kept.toBuilder().setMaxStaleness(3).build(), Map.of("m", back)).spec())
        .isEqualTo(back.toBuilder().setMaxStaleness(3).build());
    assertThat(change(SPEC, Map.of("m", back)).spec()).isEqualTo(SPEC);
    ModelSpec other = kept.toBuilder().setServedRound(8).build();
    assertThat(change(other, Map.of("m", back)).spec()).isEqualTo(other);
    assertThat(change(back, Map.of()).reasons())
        .containsExactly(
            "servedRound is 7, and the model is new: it has no round to serve; leave it out");
  }

  @Test
  void aDeprecatedNameMayBeReplaced() {
    ModelSpec former =
        SPEC.toBuilder().setAdaptiveRadius(AdaptiveRadius.getDefaultInstance()).build();

    assertThat(change(SPEC, Map.of("m", former)).kind()).isEqualTo(ChangeKind.CHANGED);
    assertThat(change(former, Map.of("m", SPEC)).kind()).isEqualTo(ChangeKind.CHANGED);
  }

  @Test
  void theDimensionMayNot() {
    ModelChange change = change(SPEC.toBuilder().setDimension(3).build(), Map.of("m", SPEC));

    assertThat(change.kind()).isEqualTo(ChangeKind.REFUSED);
    assertThat(change.reasons()).anyMatch(reason -> reason.contains("dimension"));
  }

  @Test
  void aSpecThatIsNotValidIsRefusedWithEveryReason() {
    ModelSpec broken = SPEC.toBuilder().setDimension(0).setGradientBound(-1).build();
    ModelChange change = change(broken, Map.of());

    assertThat(change.kind()).isEqualTo(ChangeKind.REFUSED);
    assertThat(change.reasons())
        .anyMatch(reason -> reason.contains("dimension"))
        .anyMatch(reason -> reason.contains("gradient_bound") || reason.contains("gradientBound"));
  }

  @Test
  void aChangedSpecIsRefusedForItsObstacles() {
    ModelSpec next = SPEC.toBuilder().setMaxStaleness(3).build();

    assertThat(ModelChange.plan(List.of(next, SPEC), Map.of("m", SPEC), spec -> List.of("large")))
        .containsExactly(
            new ModelChange(next, ChangeKind.REFUSED, List.of("large")),
            new ModelChange(SPEC, ChangeKind.UNCHANGED, List.of()));
  }

  private static ModelChange change(ModelSpec spec, Map<String, ModelSpec> current) {
    return ModelChange.plan(List.of(spec), current, published -> List.of()).get(0);
  }
}
