package io.croupier.client.randomiser;

import io.croupier.schemas.SubExponential;
import io.croupier.schemas.view.GradientReportView;

/**
 * Clips a person's gradient, adds noise, and states the declaration, sensitivity and variance of
 * the noise, and its cost to that person. The set of implementations is closed: the job can account
 * the declarations of these, and only counts undisclosed reports. For custom noise, which is only
 * counted, see {@link UndisclosedRandomiser#of}.
 *
 * <p>A release is made in four steps, G being the gradient bound and 2^e the step of the grid. (1)
 * Clip to norm G: L2, or the largest coordinate's ({@link ClippingNorm}). (2) Round every
 * coordinate towards zero to the grid; the result has norm at most G exactly. (3) Draw noise on the
 * grid: from an exact discrete law, or ({@link L2LaplaceRandomiser}, custom noise) from a
 * continuous one, rounded to the nearest point. (4) Add the two as integers, and saturate at 32
 * bits.
 *
 * <p>Neighbouring relation: replace-one. The guarantee holds between any two gradients of a person,
 * for one release; it doesn't depend on other persons. Saturation, and the rounding of noise, are
 * post-processing and cost nothing.
 *
 * <p>Failure probability: a release overflows 32 bits, and so is saturated, with probability at
 * most 2^-40; a constructor refuses a level for which this doesn't hold. Noise is never redrawn:
 * whether the first draw overflows depends on the gradient, so a redraw would change the law from
 * the declared one. Saturation costs no privacy, and costs accuracy only when it occurs.
 *
 * <p>The scale of exact noise is rounded up to whole grid steps, so it may be up to one step larger
 * than its declaration implies.
 *
 * <p>Remaining weakness: the time that a draw takes is not constant, but depends on the noise's
 * random bits; clipping takes longer for some gradients than for others.
 *
 * <p>Every release begins by mixing fresh randomness of the operating system into the key of the
 * noise generator, so that two copies of a process, resumed from one snapshot, don't release
 * different gradients under the same noise. {@link io.croupier.noise.SecureBits} states the
 * remaining weakness.
 *
 * <p>Randomisers are safe for use by several threads. They contain generators and can't be
 * serialised.
 */
public sealed interface Randomiser permits GridRandomiser, UndisclosedRandomiser {

  /** Number of coordinates d. */
  int dimension();

  /** G: every gradient is clipped to this norm. */
  double gradientBound();

  /** e: released values are multiples of 2^e. */
  int gridExponent();

  /**
   * Largest distance between two clipped gradients of a person, in the norm to which they are
   * clipped: 2G.
   */
  default double sensitivity() {
    return 2 * gradientBound();
  }

  /**
   * Largest variance of the noise along any direction: of its law on the grid where that is exact,
   * otherwise before it is rounded to the grid.
   */
  double directionalVariance();

  /**
   * A bound on the moment generating function along any unit vector a: E exp(beta &lt;noise, a>)
   * &lt;= exp(beta^2 variance / 2) for |beta| &lt;= betaMax. The variance is the least possible
   * one, of the same law as {@link #directionalVariance}, up to the rounding of doubles.
   */
  SubExponential subExponential();

  /**
   * The privacy cost of one release to the person. For a disclosed declaration it equals the cost
   * that the job accounts; otherwise only this device knows it.
   */
  Cost cost();

  /** Writes the declaration of this noise into a report. */
  void declareIn(GradientReportView.Builder report);

  /**
   * Releases a gradient once. Every call draws new noise: calling it twice for the same data spends
   * twice. A gradient with a coordinate that is not finite is released as 0 (with {@link
   * ClippingNorm#COORDINATES}, only that coordinate is set to 0), since an error instead of a
   * report would reveal it.
   *
   * @param gradient shape [d], not modified
   * @return the release as multiples of 2^e, shape [d], owned by the caller
   * @throws IllegalArgumentException if {@code gradient} has another shape; no privacy is spent
   *     then
   */
  int[] randomise(double[] gradient);
}
