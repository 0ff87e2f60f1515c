package io.croupier.client.randomiser;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.schemas.SubExponential;
import io.croupier.schemas.view.GradientReportView;

/**
 * Clips a person's gradient, randomises it, and states the declaration, sensitivity and variance of
 * the release, and its cost to that person. The set of implementations is closed: the job can
 * account the declarations of these, and only counts undisclosed reports. For custom noise, which
 * is only counted, see {@link UndisclosedRandomiser#of}.
 *
 * <p>Neighbouring relation: replace-one. The guarantee holds between any two gradients of a person,
 * for one release; it doesn't depend on other persons.
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
public sealed interface Randomiser permits GridRandomiser, PrivUnitRandomiser {

  /** Number of coordinates d. */
  int dimension();

  /** G: every gradient is clipped to this norm. */
  double gradientBound();

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
   * The same mechanism at the same level and cost, for gradients that are clipped to another norm:
   * its noise is in proportion to the bound. It draws from the same generator as this one.
   *
   * <p>The total variation of {@link GaussianRandomiser} is in inverse proportion to the squared
   * number of grid steps in the bound, and belongs to no cost: an (epsilon, delta) that {@link
   * Calibration} reached with a bound of 1.99 x 2^k does not hold for one of 2^k, which has about
   * four times the total variation. A calibration for a moving clip covers all bounds.
   *
   * @param gradientBound positive and finite
   * @param gridExponent the exponent of the grid that belongs to the bound
   * @return this randomiser, if it has that bound and grid
   * @throws IllegalArgumentException if an argument is out of range, or the noise doesn't fit the
   *     grid, or it is custom noise, whose scale is fixed
   */
  Randomiser fitted(double gradientBound, int gridExponent);

  /** What every release declares. */
  Mechanism mechanism();

  /**
   * The privacy cost of one release to the person. For a disclosed declaration it equals the cost
   * that the job accounts; otherwise only this device knows it.
   */
  ReleaseCost cost();

  /**
   * Releases a gradient once, into a report: the gradient in the randomiser's own form, and the
   * declaration. Every call draws new noise: calling it twice for the same data spends twice. A
   * gradient with a coordinate that is not finite is released as 0 (with {@link
   * ClippingNorm#COORDINATES}, only that coordinate is set to 0), since an error instead of a
   * report would reveal it.
   *
   * @param gradient shape [d], not modified
   * @throws IllegalArgumentException if {@code gradient} has another shape; no privacy is spent
   *     then
   */
  void release(double[] gradient, GradientReportView.Builder report);
}
