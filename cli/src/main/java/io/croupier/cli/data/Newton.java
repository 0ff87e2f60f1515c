package io.croupier.cli.data;

import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.CholeskyDecomposition;
import org.apache.commons.math3.linear.RealMatrix;

/**
 * Newton's method with step halving on a {@link Problem} (for the logistic loss: iteratively
 * reweighted least squares). If the classes are separable, there is no minimum, and the iteration
 * stops where the loss no longer decreases.
 */
final class Newton {

  private static final int STEPS = 200;
  private static final int HALVINGS = 40;

  /** Relative to the largest second derivative; keeps the Hessian regular for repeated columns. */
  private static final double RIDGE = 1e-10;

  private static final double LEAST_DECREASE = 1e-13;

  private final Problem problem;
  private final double[] gradient;
  private final double[][] hessian;

  Newton(Problem problem) {
    this.problem = problem;
    this.gradient = new double[problem.dimension()];
    this.hessian = new double[problem.dimension()][problem.dimension()];
  }

  double[] minimum() {
    double[] weights = new double[problem.dimension()];
    double loss = problem.loss(weights);
    for (int step = 0; step < STEPS; step++) {
      double[] direction = direction(weights);
      double length = 1;
      double[] next = moved(weights, direction, length);
      double nextLoss = problem.loss(next);
      for (int i = 0; i < HALVINGS && !(nextLoss < loss); i++) {
        length /= 2;
        next = moved(weights, direction, length);
        nextLoss = problem.loss(next);
      }
      if (!(nextLoss < loss - LEAST_DECREASE)) {
        return weights;
      }
      weights = next;
      loss = nextLoss;
    }
    return weights;
  }

  private double[] direction(double[] weights) {
    problem.derivatives(weights, gradient, hessian);
    RealMatrix matrix = new Array2DRowRealMatrix(hessian, true);
    double largest = 0;
    for (int j = 0; j < gradient.length; j++) {
      largest = Math.max(largest, hessian[j][j]);
    }
    for (int j = 0; j < gradient.length; j++) {
      matrix.addToEntry(j, j, Math.max(RIDGE * largest, Double.MIN_NORMAL));
    }
    return new CholeskyDecomposition(matrix, 1e-6, 0)
        .getSolver()
        .solve(new ArrayRealVector(gradient))
        .toArray();
  }

  private static double[] moved(double[] from, double[] direction, double length) {
    double[] to = new double[from.length];
    for (int j = 0; j < to.length; j++) {
      to[j] = from[j] - length * direction[j];
    }
    return to;
  }
}
