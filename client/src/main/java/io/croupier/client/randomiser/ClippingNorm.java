package io.croupier.client.randomiser;

/** The norm that a gradient is held to before it is hidden: that of what the learner assumes. */
public enum ClippingNorm {
  /**
   * ||g|| &lt;= G, L2: right for every learner, as no coordinate is longer than the whole. Longer
   * gradients are scaled by G / ||g||, so every coordinate depends on all others: noise with a
   * level of its own for each coordinate protects the gradient as a whole, and no coordinate by
   * itself.
   */
  L2,

  /**
   * |g_j| &lt;= G for every coordinate, and no more: for coordinate-wise learners. No coordinate
   * depends on another. Such a gradient may be sqrt(d) G long, more than learners that rely on the
   * norm assume; BANCO refuses it.
   */
  COORDINATES
}
