package io.croupier.operators.learner;

import java.io.Serializable;

/**
 * Keeps the weights w of a parameter-free learner in a ball around the initial ones, without
 * telling the learner: it goes on in its own unconstrained point z, plays the projection w of z,
 * and is fed a surrogate loss that grows where z leaves the ball, with the subgradient
 *
 * <pre>
 *   h = (g~ + G n) / 2,   n = (z - w) / ||z - w|| outside of the ball, 0 inside
 * </pre>
 *
 * <p>For every u in the ball, &lt;g, w - u&gt; is at most twice &lt;E h, z - u&gt;, and ||E h|| is
 * at most G.
 *
 * <p>Source: [CO18, Algorithm 3 and Theorem 3], which has the norm of the subgradient received in
 * the place of G. That norm is mostly noise here and grows with it: the surrogate would be biased
 * by the noise, and h no longer symmetric about its mean. With the bound instead, h carries half
 * the noise of g~, as symmetric as it came.
 *
 * @param radius of the ball, positive; infinite: no constraint
 * @param gradientBound G, positive and finite
 */
record BallConstraint(double radius, double gradientBound) implements Serializable {

  /** The whole space. */
  static final BallConstraint NONE = new BallConstraint(Double.POSITIVE_INFINITY, 1);

  BallConstraint {
    if (!(radius > 0)) {
      throw new IllegalArgumentException("radius is " + radius + "; it has to be positive");
    }
    if (!(gradientBound > 0) || Double.isInfinite(gradientBound)) {
      throw new IllegalArgumentException(
          "gradient_bound is " + gradientBound + "; it has to be positive and finite");
    }
  }

  /** Whether there is a constraint at all. */
  boolean isActive() {
    return radius < Double.POSITIVE_INFINITY;
  }

  /** What a subgradient is multiplied by, together with its pull. */
  double share() {
    return isActive() ? 0.5 : 1;
  }

  /** The magnitude that is played: the projection of {@code magnitude} times a direction. */
  double project(double magnitude, double directionNorm) {
    return isOutside(magnitude, directionNorm)
        ? Math.copySign(radius / directionNorm, magnitude)
        : magnitude;
  }

  /** G n as a multiple of the direction. */
  double pull(double magnitude, double directionNorm) {
    return isOutside(magnitude, directionNorm)
        ? Math.copySign(gradientBound / directionNorm, magnitude)
        : 0;
  }

  private boolean isOutside(double magnitude, double directionNorm) {
    return Math.abs(magnitude) * directionNorm > radius;
  }
}
