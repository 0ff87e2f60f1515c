package io.croupier.operators.model;

import io.croupier.operators.central.ftrl.ExampleMoments;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpec;

/**
 * The contribution of a raw report to the sum of a central model: the whole vector, scaled to an L2
 * norm of at most clip_norm, then each coordinate rounded towards zero to the grid, so that the
 * norm stays within the bound however the arithmetic rounds. Examples contribute their {@link
 * ExampleMoments}. A report with a value that is not finite contributes zero; it counts and is
 * charged like every other, so that no output depends on that.
 *
 * <p>The noise is calibrated to this bound: one report in place of another changes a sum by at most
 * two such vectors. Nothing else depends on a report's values.
 *
 * <p>O(d), two passes over the vector, four if its norm equals the bound up to rounding. Not safe
 * for use by several threads.
 */
final class Contribution {
  /** Between these bounds, a sum of squares neither overflows nor loses digits to underflow. */
  private static final double LEAST_SQUARES = 1e-200;

  private static final double MOST_SQUARES = 1e200;

  private final double clipNorm;

  /** Largest squared norm in steps up to which a sum of squares in doubles is trusted. */
  private final double mostSquares;

  private final int gridExponent;
  private final ExampleMoments moments;
  private final double[] example;

  /** Divisor of coordinates before they are scaled: 1, or the largest one. */
  private double divisor = 1;

  private final double[] ofExample;

  /**
   * Creates the contributions to a model with a valid central spec.
   *
   * @throws IllegalArgumentException naming the field of the spec that doesn't allow it
   */
  Contribution(ModelSpec spec) {
    PrefixSumMechanism mechanism = PrefixSumMechanism.of(spec);
    clipNorm = mechanism.level().clipNorm();
    gridExponent = mechanism.level().gridExponent();
    double clipSteps = clipNorm / mechanism.gridStep();
    double squares = clipSteps * clipSteps;
    boolean roundedUp = Math.fma(clipSteps, clipSteps, -squares) < 0;
    mostSquares = Math.min(0x1p52, roundedUp ? Math.nextDown(squares) : squares);
    moments = spec.hasDpFtrlLeastSquares() ? CentralLearners.moments(spec) : null;
    example = new double[moments == null ? 0 : moments.dimension()];
    ofExample = new double[moments == null ? 0 : moments.size()];
  }

  /**
   * Writes a report's contribution into {@code sum}: as grid values, or as sparse ones that are
   * whole steps of the grid.
   */
  void put(Report report, RoundSum sum) {
    switch (report.form) {
      case DENSE, GRID -> {
        sum.form = VectorForm.GRID;
        sum.dimension = report.dimension;
        sum.values = PackedVectors.encode(clipped(report));
      }
      case SPARSE -> {
        sum.form = VectorForm.SPARSE;
        sum.dimension = report.dimension;
        sum.indices = report.indices;
        int[] steps = clipped(report);
        double[] values = new double[steps.length];
        for (int i = 0; i < values.length; i++) {
          values[i] = Math.scalb((double) steps[i], gridExponent);
        }
        sum.values = PackedVectors.encode(values);
      }
      case EXAMPLE -> {
        for (int i = 0; i < example.length; i++) {
          example[i] = PackedVectors.doubleAt(report.values, i);
        }
        moments.of(example, report.y, ofExample);
        sum.form = VectorForm.GRID;
        sum.dimension = ofExample.length;
        sum.values = PackedVectors.encode(steps(ofExample));
      }
      case GRID_SUM -> throw new IllegalArgumentException("A sum is not a report");
      case CANDIDATE -> throw new IllegalArgumentException("A candidate is not a raw report");
    }
  }

  private int[] steps(double[] values) {
    int[] steps = new int[values.length];
    for (int i = 0; i < steps.length; i++) {
      steps[i] = (int) Math.scalb(values[i], -gridExponent);
    }
    return steps;
  }

  private int[] clipped(Report report) {
    int[] steps = new int[PackedVectors.count(report.form, report.values)];
    double factor = factor(report, steps.length, 1);
    if (put(report, factor, steps) <= mostSquares) {
      return steps;
    }
    // Relative error of a sum of n squares, of its root and of the products.
    put(report, factor(report, steps.length, 1 - (steps.length + 16) * 0x1p-53), steps);
    return steps;
  }

  /** Returns the squared norm in steps, exact below 2^53. */
  private double put(Report report, double factor, int[] steps) {
    double gridStep = Math.scalb(1.0, gridExponent);
    double toSteps = 1 / gridStep;
    double squares = 0;
    for (int i = 0; i < steps.length; i++) {
      double x = PackedVectors.valueAt(report.form, report.values, i, gridStep);
      double scaled = (divisor == 1 ? x : x / divisor) * factor;
      // A power of two: exact.
      int step = (int) (scaled * toSteps);
      steps[i] = step;
      squares += (double) step * step;
    }
    return squares;
  }

  /**
   * Returns the factor that scales the vector to the norm: 1 if it is within, 0 if a value is not
   * finite.
   */
  private double factor(Report report, int n, double slack) {
    double bound = clipNorm * slack;
    double squares = PackedVectors.squaredNorm(report.form, report.values, gridExponent);
    divisor = 1;
    if (squares >= LEAST_SQUARES && squares <= MOST_SQUARES) {
      return Math.min(1, bound / Math.sqrt(squares));
    }
    double gridStep = Math.scalb(1.0, gridExponent);
    double largest = 0;
    for (int i = 0; i < n; i++) {
      double x = PackedVectors.valueAt(report.form, report.values, i, gridStep);
      largest = Math.max(largest, Math.abs(x));
    }
    if (largest == 0) {
      return 1;
    }
    if (!(largest <= Double.MAX_VALUE)) {
      return 0;
    }
    double shares = 0;
    for (int i = 0; i < n; i++) {
      double x = PackedVectors.valueAt(report.form, report.values, i, gridStep);
      shares += x / largest * (x / largest);
    }
    double length = Math.sqrt(shares);
    if (length * largest <= bound) {
      return 1;
    }
    divisor = largest;
    return bound / length;
  }
}
