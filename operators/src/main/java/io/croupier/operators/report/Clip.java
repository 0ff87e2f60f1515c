package io.croupier.operators.report;

/**
 * The clipping of the gradient before the noise, as a report with coordinate-wise noise declares
 * it.
 */
public enum Clip {
  /** Not declared: by older devices, or since the declaration is another one. */
  UNSPECIFIED,
  /**
   * The L2 norm. It guarantees nothing for a single coordinate, since the clip scales all of them
   * alike.
   */
  L2,
  /** Every coordinate by itself. */
  COORDINATES
}
