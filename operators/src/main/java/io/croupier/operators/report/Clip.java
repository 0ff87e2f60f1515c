package io.croupier.operators.report;

/** The clip that a report with noise by coordinates declares, in the report's fields. */
public enum Clip {
  /** Not declared: by older devices, or since the declaration is another one. */
  UNSPECIFIED,
  L2,
  COORDINATES
}
