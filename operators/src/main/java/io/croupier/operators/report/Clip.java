package io.croupier.operators.report;

/**
 * What a report of coordinate-wise noise says that its gradient was clipped to before the noise.
 */
public enum Clip {
  /** Older devices don't say; other declarations have no need to. */
  UNSPECIFIED,
  /** The L2 norm. It guarantees nothing for one coordinate: the clip scales all of them alike. */
  L2,
  /** Every coordinate by itself. */
  COORDINATES
}
