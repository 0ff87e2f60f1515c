package io.croupier.operators.model;

import io.croupier.schemas.ModelSpec;
import java.util.List;

/** The effect of a record of the models topic. */
public sealed interface SpecChange {

  /**
   * The model now runs by this spec.
   *
   * @param spec the spec, without deprecated names
   * @param warnings what the author of the published spec should change, as sentences
   */
  record Accepted(ModelSpec spec, List<String> warnings) implements SpecChange {

    /** Copies the warnings. */
    public Accepted {
      warnings = List.copyOf(warnings);
    }
  }

  /** The model was running and no longer exists. */
  record Retired() implements SpecChange {}

  /**
   * Nothing changed: a model that was running keeps its last good spec.
   *
   * @param reason the reason, with what would be right
   */
  record Refused(String reason) implements SpecChange {}

  /** Nothing changed: the record was applied before, or retires a model that doesn't exist. */
  record Ignored() implements SpecChange {}
}
