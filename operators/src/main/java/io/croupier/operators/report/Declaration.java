package io.croupier.operators.report;

/** What a report says of its own noise. */
public enum Declaration {
  UNDISCLOSED,
  L2_LAPLACE,
  COORDINATE_LAPLACE,
  GAUSSIAN,
  CENTRAL
}
