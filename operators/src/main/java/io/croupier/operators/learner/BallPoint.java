package io.croupier.operators.learner;

import io.croupier.operators.math.Vectors;

/**
 * A point of the L2 ball of a given radius around 0, moved by projected gradient steps.
 *
 * <p>The projection is a factor, not a pass: the vector stays unprojected after a step, with a norm
 * of at most that of a projected point plus one step, and readers apply {@link #scale()}.
 */
final class BallPoint {
  /** Block size in doubles: three blocks fit the first-level cache while a step revisits them. */
  private static final int BLOCK = 1024;

  private final double radius;
  private final double[] unprojected;

  /** L2 norm of {@link #unprojected}. */
  private double norm;

  BallPoint(int dimension, double radius) {
    this.radius = radius;
    this.unprojected = new double[dimension];
  }

  private double scale() {
    return norm > radius ? radius / norm : 1;
  }

  /** Returns the L2 norm of the point. */
  double length() {
    return Math.min(norm, radius);
  }

  /** Writes {@code factor} times the point into {@code into}. */
  void copy(double factor, double[] into) {
    Vectors.scale(factor * scale(), unprojected, into);
  }

  /** Returns the L2 norm after a step, before the projection. Changes nothing. */
  double normAfter(double[] subgradient, double step) {
    double scale = scale();
    double s0 = 0;
    double s1 = 0;
    double s2 = 0;
    double s3 = 0;
    int i = 0;
    for (; i < subgradient.length - 3; i += 4) {
      double z0 = scale * unprojected[i] - step * subgradient[i];
      double z1 = scale * unprojected[i + 1] - step * subgradient[i + 1];
      double z2 = scale * unprojected[i + 2] - step * subgradient[i + 2];
      double z3 = scale * unprojected[i + 3] - step * subgradient[i + 3];
      s0 += z0 * z0;
      s1 += z1 * z1;
      s2 += z2 * z2;
      s3 += z3 * z3;
    }
    for (; i < subgradient.length; i++) {
      double z = scale * unprojected[i] - step * subgradient[i];
      s0 += z * z;
    }
    return Math.sqrt((s0 + s1) + (s2 + s3));
  }

  /**
   * Adds {@code magnitude} times the point to the average, then takes the step {@code -step *
   * subgradient} and projects: one pass over the three vectors.
   */
  void averageAndMove(double magnitude, RunningAverage average, double[] subgradient, double step) {
    double[] z = unprojected;
    double[] mean = average.recent;
    double gain = average.gain();
    double scale = scale();
    double played = magnitude * scale;
    double squares = 0;
    for (int from = 0; from < z.length; from += BLOCK) {
      int to = Math.min(from + BLOCK, z.length);
      for (int i = from; i < to; i++) {
        mean[i] += gain * (played * z[i] - mean[i]);
        z[i] = scale * z[i] - step * subgradient[i];
      }
      squares += Vectors.squaredNorm(z, from, to);
    }
    norm = Math.sqrt(squares);
  }

  void visit(LearnerState.Visitor visitor) {
    norm = visitor.scalar("direction-norm", norm);
    visitor.vector("direction", unprojected);
  }
}
