package io.croupier.client.randomiser;

/**
 * The norm to which a gradient is clipped before noise is added; it must match the learner's
 * assumption.
 */
public enum ClippingNorm {
  /**
   * ||g|| &lt;= G, L2: valid for every learner, since no coordinate exceeds the norm. Longer
   * gradients are scaled by G / ||g||, so every coordinate depends on all others: noise with a
   * separate level for each coordinate protects the gradient as a whole, and no single coordinate
   * by itself.
   */
  L2,

  /**
   * |g_j| &lt;= G for every coordinate, without a bound on the norm: for coordinate-wise learners.
   * No coordinate depends on another. The norm of such a gradient can reach sqrt(d) G, more than
   * learners that rely on the norm assume; BANCO refuses it.
   */
  COORDINATES
}
