package io.croupier.operators.central;

import io.croupier.accounting.tree.ParticipationLimits;

/**
 * The largest squared norm of C u over the participations u that limits allow to one user, C being
 * buffered linear Toeplitz. As its coefficients don't grow, the worst is to take part as early and
 * as often as possible [MXZ24].
 *
 * <p>Between two participations every buffer decays by itself: geometric sums. All terms are
 * positive. O(m^2) a participation.
 */
final class BltSensitivity {
  private BltSensitivity() {}

  /**
   * The squared norm.
   *
   * @param poles 1 - theta, shape [m]
   * @param omega shape [m]
   */
  static double squared(double[] poles, double[] omega, long steps, ParticipationLimits limits) {
    long gap = Math.min(limits.minSeparation(), steps) + 1;
    long most = Math.min(limits.maxParticipations(), (steps + gap - 1) / gap);
    int m = poles.length;
    double[] buffers = new double[m];
    double squares = 0;
    for (long i = 0; i < most; i++) {
      double value = 1;
      for (int j = 0; j < m; j++) {
        value += omega[j] * GeometricSum.power(poles[j], gap - 1) * buffers[j];
        buffers[j] = GeometricSum.power(poles[j], gap) * buffers[j] + 1;
      }
      long terms = (i < most - 1 ? gap : steps - i * gap) - 1;
      squares += value * value + between(poles, omega, buffers, terms);
    }
    return squares;
  }

  private static double between(double[] poles, double[] omega, double[] buffers, long terms) {
    double squares = 0;
    for (int j = 0; j < poles.length; j++) {
      for (int l = 0; l < poles.length; l++) {
        double sum = GeometricSum.of(GeometricSum.ofProduct(poles[j], poles[l]), terms);
        squares += omega[j] * buffers[j] * omega[l] * buffers[l] * sum;
      }
    }
    return squares;
  }
}
