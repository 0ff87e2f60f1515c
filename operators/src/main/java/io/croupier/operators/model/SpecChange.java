package io.croupier.operators.model;

import io.croupier.schemas.ModelSpec;

/** What a record of the models topic did. */
public sealed interface SpecChange {

  /** The model now runs by this spec. */
  record Accepted(ModelSpec spec) implements SpecChange {}

  /** The model was running and no longer exists. */
  record Retired() implements SpecChange {}

  /**
   * Nothing changed: a model that was running keeps its last good spec.
   *
   * @param reason what would be right, in words
   */
  record Refused(String reason) implements SpecChange {}

  /** Nothing changed: the record was seen before, or retires what isn't there. */
  record Ignored() implements SpecChange {}
}
