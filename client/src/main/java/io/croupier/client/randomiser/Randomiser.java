package io.croupier.client.randomiser;

import io.croupier.schemas.view.GradientReportView;

/**
 * Clips a person's gradient, adds noise, and says what that is worth: its declaration, sensitivity
 * and variance. A closed set: a report's declaration is a promise, and these are the promises that
 * the job can account, or else count.
 *
 * <p>A release is made in five steps, G being the gradient bound and 2^e the step of the grid. (1)
 * Clip to L2 norm G. (2) Round every coordinate towards zero to the grid; the result has norm at
 * most G exactly. (3) Draw noise. (4) Round the noise to the nearest point of the grid. (5) Add the
 * two as integers, and saturate at 32 bits.
 *
 * <p>Neighbouring relation: replace-one. The guarantee holds between any two gradients that a
 * person might have held, for one release; it doesn't depend on what others do. Steps 4 and 5 are
 * post-processing and cost nothing. Rounding adds at most a quarter of a squared grid step to the
 * variance per coordinate, and leaves the noise symmetric.
 *
 * <p>Failure probability: a release overflows 32 bits, and so is saturated, with probability at
 * most 2^-40; a level for which this doesn't hold is refused at construction. It is never redrawn:
 * whether the first draw overflowed depends on the gradient, so a redraw would give a release
 * another law than the one declared. Saturation costs no privacy, and accuracy only then.
 *
 * <p>Remaining weakness: the noise of step 3 is computed in floating point from continuous laws, so
 * the probability of a point of the grid is right up to rounding, not exactly; far out in the tails
 * some points may never be drawn. That the noise is rounded before it meets the gradient closes the
 * attack of [Mir12] on low-order bits. The time that a draw takes is not constant, but depends on
 * the noise's random bits; clipping takes longer for some gradients than for others.
 *
 * <p>Randomisers are safe for use by several threads. They hold generators and can't be serialised.
 */
public sealed interface Randomiser
    permits L2LaplaceRandomiser, GaussianRandomiser, UndisclosedRandomiser {

  /** Number of coordinates d. */
  int dimension();

  /** G: every gradient is clipped to this L2 norm. */
  double gradientBound();

  /** e: released values are multiples of 2^e. */
  int gridExponent();

  /** Largest L2 distance between two clipped gradients that a person might hold: 2G. */
  default double sensitivity() {
    return 2 * gradientBound();
  }

  /** Variance of the noise along any one direction, before it is rounded to the grid. */
  double directionalVariance();

  /** Writes into a report what it is to say of this noise. */
  void declareIn(GradientReportView.Builder report);

  /**
   * Releases a gradient once. Every call draws new noise: calling it twice for the same data spends
   * twice.
   *
   * @param gradient shape [d], left as it is
   * @return the release as multiples of 2^e, shape [d], owned by the caller
   * @throws IllegalArgumentException if {@code gradient} has another shape, or a coordinate that is
   *     not finite; nothing is spent then
   */
  int[] randomise(double[] gradient);
}
