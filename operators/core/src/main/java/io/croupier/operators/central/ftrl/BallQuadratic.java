package io.croupier.operators.central.ftrl;

import io.croupier.operators.math.Vectors;
import java.util.Arrays;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.EigenDecomposition;

/**
 * The minimiser of a quadratic in a ball, definite or not: argmin of theta' A theta - 2 &lt;b,
 * theta&gt; over ||theta|| &lt;= radius.
 *
 * <p>theta is a minimiser exactly if a multiplier nu &gt;= 0 exists with (A + nu I) theta = b, A +
 * nu I positive semidefinite, and nu = 0 unless ||theta|| = radius ([MS83, Lemmas 2.4 and 2.8]).
 *
 * <p>Method: in the basis of A's eigenvectors, with mu_i the distance of the i-th eigenvalue from
 * the least, theta_i = b_i / (mu_i + rho). The unknown is rho = nu + least eigenvalue, so that the
 * distance of A + nu I from a singular matrix is no difference of large numbers. If rho = the least
 * eigenvalue is positive and its theta is in the ball, that is the solution. Otherwise Newton's
 * method solves 1 / ||theta(rho)|| = 1 / radius from the left: the left side is concave and
 * increasing in rho, so every step stays below the root and in the domain (at most 14 steps in
 * 400,000 random cases). The start is a lower bound of the root: |b_i| / radius - mu_i for each i.
 *
 * <p>Hard case: if b has no component in the eigenspace of the least eigenvalue, and theta(0) is in
 * the ball, adding any multiple of an eigenvector of that space that reaches the surface gives a
 * minimiser; the one used is along the first such eigenvector, in the direction in which the
 * library returns it. With noise this case has probability 0; without noise, an empty sum leads to
 * it.
 *
 * <p>Accuracy: that of the decomposition, backward stable: the multiplier conditions hold to some d
 * units in the last place of ||A|| radius + ||b||. Overflow: A and b are scaled to unit size first,
 * and b over the radius saturates. ||theta|| is at most the radius, to the last place. Cost O(d^3)
 * and some d^2 numbers of scratch.
 */
final class BallQuadratic {
  private static final int MOST_STEPS = 200;
  private static final double NEGLIGIBLE = 0x1p-300;

  private BallQuadratic() {}

  /**
   * Solves the problem.
   *
   * @param matrix A, symmetric and finite, shape [d][d]; overwritten
   * @param bias b, finite, shape [d]; overwritten with theta
   * @param radius positive and finite
   */
  static void solve(double[][] matrix, double[] bias, double radius) {
    if (!scale(matrix, bias, radius)) {
      Arrays.fill(bias, 0);
      return;
    }
    EigenDecomposition decomposition =
        new EigenDecomposition(new Array2DRowRealMatrix(matrix, false));
    double[] eigenvalues = decomposition.getRealEigenvalues();
    double[][] vectors = decomposition.getVT().getData();
    double[] share = new double[bias.length];
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < share.length; i++) {
      share[i] = Vectors.dot(vectors[i], bias);
      least = Math.min(least, eigenvalues[i]);
    }
    double[] gap = new double[share.length];
    for (int i = 0; i < gap.length; i++) {
      gap[i] = eigenvalues[i] - least;
    }
    double[] coordinates = coordinates(share, gap, least);
    Arrays.fill(bias, 0);
    for (int i = 0; i < coordinates.length; i++) {
      Vectors.addScaled(coordinates[i], vectors[i], bias);
    }
    double norm = Math.sqrt(Vectors.squaredNorm(bias));
    Vectors.scale(norm > 1 ? radius / norm : radius, bias, bias);
  }

  /**
   * Scales to units in which the radius is 1 and the largest entry of A and b is 1; returns false
   * if all entries are 0.
   */
  private static boolean scale(double[][] matrix, double[] bias, double radius) {
    double largest = 0;
    for (double[] row : matrix) {
      largest = Math.max(largest, largest(row));
    }
    for (int i = 0; i < bias.length; i++) {
      bias[i] = Math.max(-Double.MAX_VALUE, Math.min(Double.MAX_VALUE, bias[i] / radius));
    }
    largest = Math.max(largest, largest(bias));
    if (largest == 0) {
      return false;
    }
    for (double[] row : matrix) {
      divide(row, largest);
      drop(row);
    }
    divide(bias, largest);
    return true;
  }

  private static double largest(double[] values) {
    double largest = 0;
    for (double value : values) {
      largest = Math.max(largest, Math.abs(value));
    }
    return largest;
  }

  private static void divide(double[] values, double divisor) {
    for (int i = 0; i < values.length; i++) {
      values[i] /= divisor;
    }
  }

  /**
   * Sets entries far below the accuracy of the decomposition to 0, since it squares and inverts
   * entries.
   */
  private static void drop(double[] values) {
    for (int i = 0; i < values.length; i++) {
      if (Math.abs(values[i]) < NEGLIGIBLE) {
        values[i] = 0;
      }
    }
  }

  /** Returns theta in the basis of eigenvectors, in the unit ball. */
  private static double[] coordinates(double[] share, double[] gap, double least) {
    double start = Math.max(0, least);
    for (int i = 0; i < share.length; i++) {
      start = Math.max(start, Math.abs(share[i]) - gap[i]);
    }
    double[] theta = new double[share.length];
    double norm = evaluate(share, gap, start, theta);
    if (norm <= 1) {
      if (start == 0 && least < 0) {
        reachSurface(theta, gap, norm);
      }
      return theta;
    }
    double rho = start;
    for (int step = 0; step < MOST_STEPS; step++) {
      double next = rho + (norm - 1) * norm * norm / curvature(theta, gap, rho);
      if (!(next > rho)) {
        break;
      }
      rho = next;
      norm = evaluate(share, gap, rho, theta);
      if (norm <= 1) {
        break;
      }
    }
    return theta;
  }

  /** Writes theta(rho); returns its norm. 0 / 0 is 0, for a direction in which b is 0. */
  private static double evaluate(double[] share, double[] gap, double rho, double[] theta) {
    for (int i = 0; i < theta.length; i++) {
      theta[i] = share[i] == 0 ? 0 : share[i] / (gap[i] + rho);
    }
    return Math.sqrt(Vectors.squaredNorm(theta));
  }

  /** Returns -d (||theta||^2 / 2) / d rho: the sum of theta_i^2 / (mu_i + rho). */
  private static double curvature(double[] theta, double[] gap, double rho) {
    double sum = 0;
    for (int i = 0; i < theta.length; i++) {
      if (theta[i] != 0) {
        sum += theta[i] * theta[i] / (gap[i] + rho);
      }
    }
    return sum;
  }

  private static void reachSurface(double[] theta, double[] gap, double norm) {
    for (int i = 0; i < gap.length; i++) {
      if (gap[i] == 0) {
        theta[i] = Math.sqrt((1 - norm) * (1 + norm));
        return;
      }
    }
  }
}
