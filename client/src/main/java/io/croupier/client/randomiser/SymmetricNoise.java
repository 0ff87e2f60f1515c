package io.croupier.client.randomiser;

import io.croupier.schemas.SubExponential;
import java.util.random.RandomGenerator;

/**
 * Noise of a person's own making, for {@link UndisclosedRandomiser}. What it says of itself nobody
 * can check, and nobody else gets to know.
 *
 * <p>It need not be symmetric: every draw z is rounded to the grid and then turned round or not by
 * the toss of a fair coin, so that what is added has a symmetric law, and mean zero, whatever is
 * drawn here. That weakens no guarantee: if g + z is epsilon-LDP, or mu-GDP, between any two
 * gradients of the ball, then so is g - z = -(-g + z), and so is a coin's choice of the two; as g
 * is on the grid, rounding is post-processing.
 */
public interface SymmetricNoise {

  /**
   * Draws once, independently of every other draw. Called by one thread at a time.
   *
   * <p>If it throws, or leaves a coordinate unset or not finite, nothing is released.
   *
   * @param random cryptographically secure, and all the randomness that should be used
   * @param noise shape [d], to be filled, in units of the gradient; not to be kept
   */
  void draw(RandomGenerator random, double[] noise);

  /** The largest E &lt;noise, a>^2 over unit vectors a, about zero; at least 0, finite. */
  double directionalVariance();

  /**
   * By what a bet is bounded along every unit vector a: E cosh(beta &lt;noise, a>) &lt;= exp(beta^2
   * variance / 2) for |beta| &lt;= betaMax. The variance is finite and not below the directional
   * one, betaMax positive. Noise with heavier than exponential tails has no such pair; it wouldn't
   * fit 32 bits either.
   */
  SubExponential subExponential();

  /** What one release costs its owner, who alone charges it; {@link Cost#UNKNOWN} if need be. */
  Cost cost();
}
