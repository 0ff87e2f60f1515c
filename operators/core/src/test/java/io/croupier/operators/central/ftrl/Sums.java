package io.croupier.operators.central.ftrl;

/** Prefix sums as a least squares model receives them. */
final class Sums {
  private Sums() {}

  /** Returns the sums that represent W and s. */
  static double[] of(double[][] w, double[] s, double normBound, double responseBound) {
    int d = s.length;
    double[] sums = new double[d + d * (d + 1) / 2];
    int at = d;
    for (int i = 0; i < d; i++) {
      sums[i] = s[i] / (normBound * responseBound);
      sums[at++] = w[i][i] / (normBound * normBound);
      for (int j = i + 1; j < d; j++) {
        sums[at++] = Math.sqrt(2) * w[i][j] / (normBound * normBound);
      }
    }
    return sums;
  }
}
