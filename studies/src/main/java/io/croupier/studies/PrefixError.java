package io.croupier.studies;

import io.croupier.accounting.tree.ParticipationLimits;

/** The error of a mechanism that releases prefix sums, and its sensitivity. */
interface PrefixError {

  String label();

  /** The largest squared sensitivity to one user, in clipping norms, under zero-out. */
  double zeta(long steps, ParticipationLimits limits);

  /**
   * Of the noise in each coordinate of a prefix, if one draw has variance 1.
   *
   * @param step at least 1
   */
  double variance(long step);

  /** Over all prefixes, at mu = 1 / sigma, in units of L sigma. */
  default Errors errors(long steps, ParticipationLimits limits) {
    double sum = 0;
    double largest = 0;
    for (long step = 1; step <= steps; step++) {
      double variance = variance(step);
      sum += variance;
      largest = Math.max(largest, variance);
    }
    double zeta = zeta(steps, limits);
    return new Errors(Math.sqrt(zeta * largest), Math.sqrt(zeta * sum / steps));
  }

  /**
   * Deviations of the noise of prefixes.
   *
   * @param worst the largest
   * @param rms the root of their mean square
   */
  record Errors(double worst, double rms) {

    /** As tables show it. */
    @Override
    public String toString() {
      return NumberLabels.fixed(worst, 3) + " / " + NumberLabels.fixed(rms, 3);
    }
  }
}
