package io.croupier.operators.central;

import io.croupier.accounting.tree.ParticipationLimits;

/**
 * The largest squared norm of C u over the participations u that limits allow one user, where C is
 * buffered linear Toeplitz. As its coefficients don't grow, the worst case is to take part as early
 * and as often as possible [MXZ24].
 *
 * <p>Between two participations every buffer decays by itself: geometric sums. All terms are
 * positive, and each participation adds a few ulp to the relative error. O(m^2) per participation,
 * without transcendental functions: a million take 0.1 s.
 */
final class BltSensitivity {
  private BltSensitivity() {}

  /**
   * Returns the squared norm.
   *
   * @param poles 1 - theta, shape [m]
   * @param omega shape [m]
   */
  static double squared(double[] poles, double[] omega, long steps, ParticipationLimits limits) {
    long gap = Math.min(limits.minSeparation(), steps) + 1;
    long most = Math.min(limits.maxParticipations(), (steps + gap - 1) / gap);
    int m = poles.length;
    double[] kept = new double[m];
    double[] decay = new double[m];
    for (int j = 0; j < m; j++) {
      kept[j] = omega[j] * GeometricSum.power(poles[j], gap - 1);
      decay[j] = GeometricSum.power(poles[j], gap);
    }
    double[][] betweenTwo = products(poles, omega, gap - 1);
    double[] buffers = new double[m];
    double squares = 0;
    for (long i = 0; i < most; i++) {
      double value = 1;
      for (int j = 0; j < m; j++) {
        value += kept[j] * buffers[j];
        buffers[j] = decay[j] * buffers[j] + 1;
      }
      double[][] after = i < most - 1 ? betweenTwo : products(poles, omega, steps - i * gap - 1);
      squares += value * value + quadratic(after, buffers);
    }
    return squares;
  }

  /**
   * Returns the sums of products of two buffers' values over the given number of steps without
   * participations.
   */
  private static double[][] products(double[] poles, double[] omega, long terms) {
    double[][] products = new double[poles.length][poles.length];
    for (int j = 0; j < poles.length; j++) {
      for (int l = 0; l < poles.length; l++) {
        double sum = GeometricSum.of(GeometricSum.ofProduct(poles[j], poles[l]), terms);
        products[j][l] = omega[j] * omega[l] * sum;
      }
    }
    return products;
  }

  private static double quadratic(double[][] matrix, double[] vector) {
    double sum = 0;
    for (int j = 0; j < vector.length; j++) {
      for (int l = 0; l < vector.length; l++) {
        sum += vector[j] * matrix[j][l] * vector[l];
      }
    }
    return sum;
  }
}
