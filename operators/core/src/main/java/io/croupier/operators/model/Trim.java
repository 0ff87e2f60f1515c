package io.croupier.operators.model;

import io.croupier.operators.math.PackedVectors;

/**
 * Trims reports of undisclosed noise to an L2 norm of at most {@value #REACH} G: a longer report is
 * scaled down to that length. For a learner whose G bounds each coordinate, each coordinate is
 * limited to {@value #REACH} G instead. It depends on nothing but the report, so that reports can
 * be trimmed before they are summed up. Grid values are rounded towards zero, so that no rounding
 * exceeds the bound.
 *
 * <p>A report that declares its noise is weighed by it. One that doesn't has a bounded influence,
 * whatever its sender's privacy level.
 *
 * <p>Not safe for use by several threads.
 */
final class Trim {
  /** Largest norm of a trimmed report, in units of the gradient bound G. */
  static final double REACH = 2;

  /** Largest norm of a trimmed report. */
  private final double longest;

  private final int gridExponent;
  private final boolean isByCoordinate;
  private final NormBound bound = new NormBound();

  /**
   * Creates the trim of reports of one gradient bound.
   *
   * @param gradientBound G, positive and finite
   * @param gridExponent of the grid of these reports
   * @param isByCoordinate whether G bounds each coordinate rather than the norm
   */
  Trim(double gradientBound, int gridExponent, boolean isByCoordinate) {
    longest = REACH * gradientBound;
    this.gridExponent = gridExponent;
    this.isByCoordinate = isByCoordinate;
  }

  /** Returns whether it is that of a gradient bound, and so of the grid that belongs to it. */
  boolean isOf(double gradientBound) {
    return longest == REACH * gradientBound;
  }

  /** Trims one report of grid, dense or sparse form; it replaces the array if it changes values. */
  void apply(RoundSum report) {
    if (isByCoordinate) {
      report.values =
          PackedVectors.limited(
              report.form, report.values, longest, Math.scalb(longest, -gridExponent));
      return;
    }
    bound.fit(report.form, report.values, gridExponent, longest);
    if (!bound.isWithin()) {
      report.values = PackedVectors.scaled(report.form, report.values, bound.factor());
    }
  }
}
