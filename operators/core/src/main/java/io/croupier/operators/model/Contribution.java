package io.croupier.operators.model;

import io.croupier.operators.central.ftrl.ExampleMoments;
import io.croupier.operators.ledger.CentralMechanism;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.ExampleContent;
import io.croupier.operators.report.Gradient;
import io.croupier.operators.report.VectorContent;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpec;
import java.util.stream.IntStream;

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
  private final double clipNorm;

  /** Largest squared norm in steps up to which a sum of squares in doubles is trusted. */
  private final double mostSquares;

  private final int gridExponent;
  private final ExampleMoments moments;
  private final double[] example;

  private final NormBound bound = new NormBound();
  private final double[] ofExample;

  /**
   * Creates the contributions to a model with a valid central spec.
   *
   * @param mechanism the spec's
   */
  Contribution(ModelSpec spec, CentralMechanism mechanism) {
    clipNorm = mechanism.level().clipNorm();
    gridExponent = mechanism.level().gridExponent();
    double clipSteps = clipNorm / mechanism.gridStep();
    double squares = clipSteps * clipSteps;
    boolean roundedUp = Math.fma(clipSteps, clipSteps, -squares) < 0;
    mostSquares = Math.min(0x1p52, roundedUp ? Math.nextDown(squares) : squares);
    moments = spec.hasDpFtrlLeastSquares() ? CentralMechanism.moments(spec) : null;
    example = new double[moments == null ? 0 : moments.dimension()];
    ofExample = new double[moments == null ? 0 : moments.size()];
  }

  /**
   * Writes a report's contribution into {@code sum}: as grid values, or as sparse ones that are
   * whole steps of the grid.
   */
  void put(Gradient gradient, RoundSum sum) {
    sum.exponent = gridExponent;
    if (gradient instanceof ExampleContent observation) {
      for (int i = 0; i < example.length; i++) {
        example[i] = PackedVectors.doubleAt(observation.x(), i);
      }
      moments.of(example, observation.y(), ofExample);
      sum.form = VectorForm.GRID;
      sum.dimension = ofExample.length;
      sum.values = PackedVectors.encode(steps(ofExample));
    } else if (gradient instanceof VectorContent vector) {
      int[] steps = clipped(vector);
      sum.dimension = vector.dimension();
      if (vector.form() == VectorForm.SPARSE) {
        sum.form = VectorForm.SPARSE_SUM;
        sum.indices = vector.indices();
        sum.values = PackedVectors.encode(IntStream.of(steps).asLongStream().toArray());
      } else {
        sum.form = VectorForm.GRID;
        sum.values = PackedVectors.encode(steps);
      }
    } else {
      throw new IllegalArgumentException("A %s is not a raw report".formatted(gradient.name()));
    }
  }

  private int[] steps(double[] values) {
    int[] steps = new int[values.length];
    for (int i = 0; i < steps.length; i++) {
      steps[i] = (int) Math.scalb(values[i], -gridExponent);
    }
    return steps;
  }

  private int[] clipped(VectorContent vector) {
    int[] steps = new int[PackedVectors.count(vector.form(), vector.values())];
    bound.fit(vector.form(), vector.values(), gridExponent, clipNorm);
    if (putScaled(vector, steps) <= mostSquares) {
      return steps;
    }
    // Relative error of a sum of n squares, of its root and of the products.
    double slack = 1 - (steps.length + 16) * 0x1p-53;
    bound.fit(vector.form(), vector.values(), gridExponent, clipNorm * slack);
    putScaled(vector, steps);
    return steps;
  }

  /** Returns the squared norm in steps, exact below 2^53. */
  private double putScaled(VectorContent vector, int[] steps) {
    double gridStep = Math.scalb(1.0, gridExponent);
    double toSteps = 1 / gridStep;
    double squares = 0;
    for (int i = 0; i < steps.length; i++) {
      double x = PackedVectors.valueAt(vector.form(), vector.values(), i, gridStep);
      // A power of two: exact.
      int step = (int) (bound.scaled(x) * toSteps);
      steps[i] = step;
      squares += (double) step * step;
    }
    return squares;
  }
}
