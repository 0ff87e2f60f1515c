package io.croupier.cli.models;

import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The effect of publishing a spec.
 *
 * @param spec the spec
 * @param kind of effect
 * @param reasons for a refusal; empty otherwise
 */
public record ModelChange(ModelSpec spec, ChangeKind kind, List<String> reasons) {

  /** Kinds of effects. */
  public enum ChangeKind {
    CREATED,
    CHANGED,
    UNCHANGED,
    REFUSED
  }

  /** Copies the reasons. */
  public ModelChange {
    reasons = List.copyOf(reasons);
  }

  /**
   * Compares each spec with the current one of the same model.
   *
   * @param obstacles why a valid spec that is published can't run; empty if it can
   */
  public static List<ModelChange> plan(
      List<ModelSpec> specs,
      Map<String, ModelSpec> current,
      Function<ModelSpec, List<String>> obstacles) {
    return specs.stream()
        .map(spec -> of(spec, current.get(spec.getModelId())).unless(obstacles))
        .toList();
  }

  private ModelChange unless(Function<ModelSpec, List<String>> obstacles) {
    if (kind != ChangeKind.CREATED && kind != ChangeKind.CHANGED) {
      return this;
    }
    List<String> why = obstacles.apply(spec);
    return why.isEmpty() ? this : new ModelChange(spec, ChangeKind.REFUSED, why);
  }

  private static ModelChange of(ModelSpec written, ModelSpec current) {
    ModelSpec spec = withRollBack(written, current);
    List<String> violations = ModelSpecs.violations(spec);
    if (!violations.isEmpty()) {
      return new ModelChange(spec, ChangeKind.REFUSED, violations);
    }
    if (current == null && spec.hasServedRound()) {
      return new ModelChange(
          spec,
          ChangeKind.REFUSED,
          List.of(
              "servedRound is %d, and the model is new: it has no round to serve; leave it out"
                  .formatted(spec.getServedRound())));
    }
    if (current == null) {
      return new ModelChange(spec, ChangeKind.CREATED, List.of());
    }
    if (current.equals(spec)) {
      return new ModelChange(spec, ChangeKind.UNCHANGED, List.of());
    }
    List<String> forbidden = ModelSpecs.changeViolations(current, spec);
    return forbidden.isEmpty()
        ? new ModelChange(spec, ChangeKind.CHANGED, List.of())
        : new ModelChange(spec, ChangeKind.REFUSED, forbidden);
  }

  /** A file that doesn't have a roll-back leaves the one that an operator has made. */
  private static ModelSpec withRollBack(ModelSpec spec, ModelSpec current) {
    return current != null
            && current.hasServedRound()
            && spec.hasHistory()
            && !spec.hasServedRound()
        ? spec.toBuilder().setServedRound(current.getServedRound()).build()
        : spec;
  }
}
