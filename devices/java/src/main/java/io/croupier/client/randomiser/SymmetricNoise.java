package io.croupier.client.randomiser;

import io.croupier.schemas.SubExponential;
import java.util.random.RandomGenerator;

/**
 * A person's custom noise, for {@link UndisclosedRandomiser}. Its stated properties can't be
 * verified, and are not sent.
 *
 * <p>It need not be symmetric: every draw z is rounded to the grid and then negated or not by a
 * fair coin toss, so that the added noise has a symmetric law, and mean zero, for any law of the
 * draws. That weakens no guarantee: if g + z is epsilon-LDP, or mu-GDP, between any two gradients
 * of the ball, then so is g - z = -(-g + z), and so is a random choice of the two by a fair coin;
 * as g is on the grid, rounding is post-processing.
 */
public interface SymmetricNoise {

  /**
   * Draws once, independently of every other draw. Called by one thread at a time.
   *
   * <p>If it throws, or leaves a coordinate unset or not finite, no report is released.
   *
   * @param random cryptographically secure generator, which should be the only source of randomness
   * @param noise array of shape [d] to fill, in units of the gradient; must not be retained
   */
  void draw(RandomGenerator random, double[] noise);

  /** The largest E &lt;noise, a>^2 over unit vectors a, about zero; at least 0, finite. */
  double directionalVariance();

  /**
   * A bound on the moment generating function along every unit vector a: E cosh(beta &lt;noise, a>)
   * &lt;= exp(beta^2 variance / 2) for |beta| &lt;= betaMax. The variance is finite and not below
   * the directional one, betaMax positive. Noise with heavier than exponential tails has no such
   * pair, and would not fit 32 bits.
   */
  SubExponential subExponential();

  /**
   * The privacy cost of one release, which only the device's ledger charges; {@link
   * ReleaseCost#UNKNOWN} if it is not known.
   */
  ReleaseCost cost();
}
