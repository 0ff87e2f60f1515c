package io.croupier.operators.report;

/** The noise that a report declares. */
public enum Declaration {
  UNDISCLOSED,
  L2_LAPLACE,
  COORDINATE_LAPLACE,
  GAUSSIAN,
  CENTRAL,
  PRIV_UNIT
}
