package io.croupier.client.randomiser;

import io.croupier.schemas.SubExponential;
import io.croupier.schemas.view.GradientReportView;

/**
 * Clips a person's gradient, adds noise, and says what that is worth: its declaration, sensitivity
 * and variance, and its cost to that person. A closed set: a report's declaration is a promise, and
 * these are the promises that the job can account, or else count. Noise of a person's own making is
 * counted: see {@link UndisclosedRandomiser#of}.
 *
 * <p>A release is made in four steps, G being the gradient bound and 2^e the step of the grid. (1)
 * Clip to norm G: L2, or the largest coordinate's ({@link ClippingNorm}). (2) Round every
 * coordinate towards zero to the grid; the result has norm at most G exactly. (3) Draw noise on the
 * grid: from an exact discrete law, or ({@link L2LaplaceRandomiser}, a person's own) from a
 * continuous one, rounded to the nearest point. (4) Add the two as integers, and saturate at 32
 * bits.
 *
 * <p>Neighbouring relation: replace-one. The guarantee holds between any two gradients that a
 * person might have held, for one release; it doesn't depend on what others do. Saturation, and the
 * rounding of noise, are post-processing and cost nothing.
 *
 * <p>Failure probability: a release overflows 32 bits, and so is saturated, with probability at
 * most 2^-40; a level for which this doesn't hold is refused at construction. It is never redrawn:
 * whether the first draw overflowed depends on the gradient, so a redraw would give a release
 * another law than the one declared. Saturation costs no privacy, and accuracy only then.
 *
 * <p>Noise of an exact law has a scale of whole grid steps, so it may be one step wider than its
 * declaration implies.
 *
 * <p>Remaining weakness: the time that a draw takes is not constant, but depends on the noise's
 * random bits; clipping takes longer for some gradients than for others.
 *
 * <p>Every release begins with fresh randomness of the operating system, put into the key that its
 * noise is drawn with: two copies of a process, resumed from one snapshot, don't release different
 * gradients under the same noise. {@link io.croupier.noise.SecureBits} says what remains.
 *
 * <p>Randomisers are safe for use by several threads. They hold generators and can't be serialised.
 */
public sealed interface Randomiser permits GridRandomiser, UndisclosedRandomiser {

  /** Number of coordinates d. */
  int dimension();

  /** G: every gradient is clipped to this norm. */
  double gradientBound();

  /** e: released values are multiples of 2^e. */
  int gridExponent();

  /**
   * Largest distance between two clipped gradients that a person might hold, in the norm that they
   * are clipped to: 2G.
   */
  default double sensitivity() {
    return 2 * gradientBound();
  }

  /**
   * Largest variance of the noise along any one direction: of its law on the grid where that is
   * exact, else before it is rounded to the grid.
   */
  double directionalVariance();

  /**
   * By what a bet on the noise is bounded along any one direction a: E exp(beta &lt;noise, a>)
   * &lt;= exp(beta^2 variance / 2) for |beta| &lt;= betaMax. The least such variance, of the same
   * law, up to the rounding of doubles.
   */
  SubExponential subExponential();

  /**
   * What one release costs the person whose gradient it hides. For a declaration that others can
   * account, the same as they do; else known here alone.
   */
  Cost cost();

  /** Writes into a report what it is to say of this noise. */
  void declareIn(GradientReportView.Builder report);

  /**
   * Releases a gradient once. Every call draws new noise: calling it twice for the same data spends
   * twice. A gradient with a coordinate that is not finite is released as 0 (where coordinates are
   * clipped each for itself, that coordinate is), since an error instead of a report would give it
   * away.
   *
   * @param gradient shape [d], left as it is
   * @return the release as multiples of 2^e, shape [d], owned by the caller
   * @throws IllegalArgumentException if {@code gradient} has another shape; nothing is spent then
   */
  int[] randomise(double[] gradient);
}
