package io.croupier.operators.report;

import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.operators.math.PackedVectors;
import io.croupier.schemas.ModelSpec;

/**
 * Checks whether a report's length is plausible for a clipped gradient plus the declared noise. A
 * single record far beyond that would ruin a model.
 *
 * <p>An honest report is refused with probability 2^-40, one of coordinate_laplace noise with 2^-40
 * for each coordinate. Undisclosed noise has no quantile: only report_bound and a finite squared
 * norm are required. Central reports are always plausible: they are clipped, and no observable
 * result may depend on their values.
 *
 * <p>A report of priv_unit has the length that its declaration gives it, its last coordinate
 * included. A sender may declare an epsilon so small that the length overflows.
 *
 * <p>Every bound includes a grid step for each coordinate, since clients round to the grid. A check
 * costs O(number of values). Not safe for use by several threads.
 */
public final class Plausibility {
  private final SpecGradients gradients;

  /** report_bound; infinite if not set. */
  private final double reportBound;

  /**
   * Creates the bounds of a valid spec.
   *
   * @param gradients of the same spec
   */
  public Plausibility(ModelSpec spec, SpecGradients gradients) {
    this.gradients = gradients;
    reportBound = spec.hasReportBound() ? spec.getReportBound() : Double.POSITIVE_INFINITY;
  }

  /** Returns whether a report of the spec's dimension is plausible. */
  public boolean plausible(Report report) {
    Mechanism mechanism = report.mechanism();
    if (mechanism instanceof CentralNoise) {
      return true;
    }
    if (report.content() instanceof CandidateContent) {
      GradientSpace space = gradients.of(report);
      return plausible(((PrivUnitMechanism) mechanism).length(space), mechanism, space);
    }
    if (report.content() instanceof VectorContent vector) {
      GradientSpace space = gradients.of(report);
      double squares =
          PackedVectors.squaredNorm(vector.form(), vector.values(), space.gridExponent());
      return plausible(Math.sqrt(squares), mechanism, space)
          && (!(mechanism instanceof CoordinateLaplaceMechanism laplace)
              || coordinatesPlausible(vector, laplace, space));
    }
    return true;
  }

  private boolean plausible(double length, Mechanism mechanism, GradientSpace space) {
    return Double.isFinite(length * length)
        && length <= reportBound
        && length <= mechanism.longest(space);
  }

  private static boolean coordinatesPlausible(
      VectorContent vector, CoordinateLaplaceMechanism mechanism, GradientSpace space) {
    int count = PackedVectors.count(vector.form(), vector.values());
    double gridStep = space.gridStep();
    for (int i = 0; i < count; i++) {
      // The taus of a sparse report are parallel to its values, too.
      double value = PackedVectors.valueAt(vector.form(), vector.values(), i, gridStep);
      if (!(Math.abs(value) <= mechanism.longestCoordinate(space, i))) {
        return false;
      }
    }
    return true;
  }
}
