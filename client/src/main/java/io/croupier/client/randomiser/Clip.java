package io.croupier.client.randomiser;

/** The norm that a gradient is held to before it is hidden: that of what the learner assumes. */
public enum Clip {
  /** ||g|| &lt;= G, L2: right for every learner, as no coordinate is longer than the whole. */
  L2,

  /**
   * |g_j| &lt;= G for every coordinate, and no more: for coordinate-wise learners. Such a gradient
   * may be sqrt(d) G long, which a learner that relies on the norm doesn't survive.
   */
  COORDINATES
}
