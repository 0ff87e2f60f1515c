package io.croupier.operators.noise;

import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;

/**
 * Checks whether a report's length is plausible for a clipped gradient plus the declared noise. A
 * single record far beyond that would ruin a model.
 *
 * <p>An honest report of l2_laplace or gaussian noise is refused with probability 2^-40, one of
 * coordinate_laplace noise with 2^-40 for each coordinate. Undisclosed noise has no quantile: only
 * report_bound and a finite squared norm are required. Central reports are always plausible: they
 * are clipped, and no observable result may depend on their values.
 *
 * <p>A report of priv_unit has the length that its declaration gives it, its last coordinate
 * included, so only report_bound and a finite square of that length are required: a sender may
 * declare an epsilon so small that the length overflows.
 *
 * <p>A gradient that is clipped to L2 norm G has no coordinate beyond G either, so the bound on
 * coordinates holds for both clips of coordinate_laplace.
 *
 * <p>Every bound includes a grid step for each coordinate, since clients round to the grid. A check
 * costs O(number of values). Not safe for use by several threads.
 */
public final class Plausibility {
  private final int dimension;
  private final double gradientBound;
  private final int gridExponent;
  private final double gridStep;

  /** report_bound; infinite if not set. */
  private final double reportBound;

  /** Largest plausible length of noise of unit scale; the scale is 2G / epsilon or 2G / mu. */
  private final double longestLaplace;

  private final double longestGaussian;

  private final PrivUnitReports privUnits;

  private Plausibility(ModelSpec spec, PrivUnitReports privUnits) {
    this.privUnits = privUnits;
    dimension = spec.getDimension();
    gradientBound = spec.getGradientBound();
    gridExponent = ModelSpecs.gridExponent(spec);
    gridStep = Math.scalb(1.0, gridExponent);
    reportBound = spec.hasReportBound() ? spec.getReportBound() : Double.POSITIVE_INFINITY;
    longestLaplace = NoiseTail.l2Laplace(dimension);
    longestGaussian = NoiseTail.gaussian(dimension);
  }

  /**
   * Returns the bounds of a valid spec. It computes two quantiles, so callers should keep the
   * result with the spec.
   */
  public static Plausibility of(ModelSpec spec) {
    return of(spec, PrivUnitReports.of(spec));
  }

  /**
   * The same.
   *
   * @param privUnits of the same spec
   */
  public static Plausibility of(ModelSpec spec, PrivUnitReports privUnits) {
    return new Plausibility(spec, privUnits);
  }

  /** Returns whether a report of the spec's dimension is plausible. */
  public boolean plausible(Report report) {
    if (report.declaration == Declaration.CENTRAL) {
      return true;
    }
    if (report.declaration == Declaration.PRIV_UNIT) {
      double length = gradientBound * privUnits.law(report).scale();
      return Double.isFinite(length * length) && length <= reportBound;
    }
    double squaredNorm = PackedVectors.squaredNorm(report.form, report.values, gridExponent);
    if (!Double.isFinite(squaredNorm)) {
      return false;
    }
    double length = Math.sqrt(squaredNorm);
    return length <= reportBound
        && switch (report.declaration) {
          case L2_LAPLACE -> length <= longest(longestLaplace, report.level);
          case GAUSSIAN -> length <= longest(longestGaussian, report.level);
          case COORDINATE_LAPLACE -> coordinatesPlausible(report);
          case UNDISCLOSED, CENTRAL, PRIV_UNIT -> true;
        };
  }

  private double longest(double unitNoise, double level) {
    return gradientBound + unitNoise * 2 * gradientBound / level + Math.sqrt(dimension) * gridStep;
  }

  private boolean coordinatesPlausible(Report report) {
    int count = PackedVectors.count(report.form, report.values);
    for (int i = 0; i < count; i++) {
      // The taus of a sparse report are parallel to its values, too.
      double tau = PackedVectors.doubleAt(report.taus, i);
      double value = PackedVectors.valueAt(report.form, report.values, i, gridStep);
      if (!(Math.abs(value)
          <= gradientBound + 2 * gradientBound / tau * NoiseTail.laplace() + gridStep)) {
        return false;
      }
    }
    return true;
  }
}
