package io.croupier.operators.learner;

import java.io.Serializable;

/**
 * Keeps the weights w of a parameter-free learner in a ball around the initial ones, without a
 * change of the learner: it keeps its own unconstrained point z, plays the projection w of z, and
 * receives a surrogate loss that grows where z leaves the ball, with the subgradient
 *
 * <pre>
 *   h = (g~ + G n) / 2,   n = (z - w) / ||z - w|| outside of the ball, 0 inside
 * </pre>
 *
 * <p>For every u in the ball, &lt;g, w - u&gt; is at most twice &lt;E h, z - u&gt;, and ||E h|| is
 * at most G.
 *
 * <p>Source: [CO18, Algorithm 3 and Theorem 3], which uses the norm of the received subgradient in
 * place of G. Here that norm is mostly noise: the noise would bias the surrogate. With the bound
 * instead, h contains half the noise of g~. Its coins x keep the inequality that the learners rely
 * on, E exp(x - x^2) &lt;= 1 + E x for |E x| &lt;= 1/5: symmetric noise stays symmetric, and for
 * priv_unit a test checks the inequality.
 *
 * @param radius radius of the ball, positive; infinite for no constraint
 */
record BallConstraint(double radius) implements Serializable {

  /** No constraint. */
  static final BallConstraint NONE = new BallConstraint(Double.POSITIVE_INFINITY);

  BallConstraint {
    if (!(radius > 0)) {
      throw new IllegalArgumentException("radius is " + radius + "; it has to be positive");
    }
  }

  /** Returns whether there is a constraint. */
  boolean isActive() {
    return radius < Double.POSITIVE_INFINITY;
  }

  /** Returns the factor of a subgradient and its pull. */
  double share() {
    return isActive() ? 0.5 : 1;
  }

  /**
   * Returns the magnitude that is played: that of the projection of {@code magnitude} times a
   * direction.
   */
  double project(double magnitude, double directionNorm) {
    return isOutside(magnitude, directionNorm)
        ? Math.copySign(radius / directionNorm, magnitude)
        : magnitude;
  }

  /** Returns n as a multiple of the direction; 0 inside. */
  double pull(double magnitude, double directionNorm) {
    return isOutside(magnitude, directionNorm) ? Math.copySign(1 / directionNorm, magnitude) : 0;
  }

  private boolean isOutside(double magnitude, double directionNorm) {
    return Math.abs(magnitude) * directionNorm > radius;
  }
}
