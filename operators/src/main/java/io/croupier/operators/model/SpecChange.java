package io.croupier.operators.model;

import io.croupier.schemas.ModelSpec;

/** The effect of a record of the models topic. */
public sealed interface SpecChange {

  /** The model now runs by this spec. */
  record Accepted(ModelSpec spec) implements SpecChange {}

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
