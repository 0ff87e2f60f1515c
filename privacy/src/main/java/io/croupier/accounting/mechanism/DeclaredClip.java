package io.croupier.accounting.mechanism;

/** The clipping of the gradient before noise by coordinates, as records number it. */
public enum DeclaredClip {
  /** Not declared: by older devices. */
  UNSPECIFIED,
  /**
   * The L2 norm. It guarantees nothing for a single coordinate, since the clip scales all of them
   * alike.
   */
  L2,
  /** Every coordinate by itself. */
  COORDINATES
}
