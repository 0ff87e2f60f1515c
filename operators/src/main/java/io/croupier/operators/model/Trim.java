package io.croupier.operators.model;

import io.croupier.operators.math.PackedVectors;

/**
 * Trims noisy reports to an L2 norm of at most {@value #REACH} G, as the adaptive radius requires:
 * a longer report is scaled down to that length. It depends on nothing but the report, so that
 * reports can be trimmed before they are summed up. Grid values are rounded towards zero, so that
 * no rounding exceeds that norm.
 *
 * <p>A mean is a poor way to combine reports of unequal noise: the noisiest ones decide it. A
 * trimmed report has a bounded influence, whatever its sender's privacy level.
 *
 * <p>Not safe for use by several threads.
 */
public final class Trim {
  /** Largest norm of a trimmed report, in units of the gradient bound G. */
  public static final double REACH = 2;

  /** Largest norm of a trimmed report. */
  private final double longest;

  private final int gridExponent;
  private final NormBound bound = new NormBound();

  /**
   * Creates the trim of reports of one gradient bound.
   *
   * @param gradientBound G, positive and finite
   * @param gridExponent of the grid of these reports
   */
  public Trim(double gradientBound, int gridExponent) {
    this(gradientBound, gridExponent, REACH);
  }

  /**
   * Creates a trim to another length than the job's, for comparison.
   *
   * @param reach largest norm of a trimmed report, in units of the gradient bound; positive,
   *     infinite: no report is trimmed
   */
  public Trim(double gradientBound, int gridExponent, double reach) {
    this.longest = reach * gradientBound;
    this.gridExponent = gridExponent;
  }

  /** Returns whether it is that of a gradient bound, and so of the grid that belongs to it. */
  boolean isOf(double gradientBound) {
    return longest == REACH * gradientBound;
  }

  /** Returns by which factor a report of the given L2 norm is scaled, at most 1. */
  public double factor(double norm) {
    return norm > longest ? longest / norm : 1;
  }

  /** Trims one report of grid, dense or sparse form; it replaces the array if it changes values. */
  void apply(RoundSum report) {
    bound.fit(report.form, report.values, gridExponent, longest);
    if (bound.isWithin()) {
      return;
    }
    report.values = PackedVectors.scaled(report.form, report.values, bound.factor());
  }
}
