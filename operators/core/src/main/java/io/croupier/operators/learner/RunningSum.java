package io.croupier.operators.learner;

/**
 * A sum that grows by one term per round for years, kept as the sum of two doubles: the second
 * collects the exact rounding errors of the first (Knuth's two-sum, accumulated as by Neumaier,
 * 1974).
 *
 * <p>Accuracy: after n terms x_i the error is at most u |sum| + n u^2 sum |x_i|, u = 2^-53, where a
 * plain sum may be off by n u sum |x_i|: at 10^9 rounds 1.2e-23 instead of 1.1e-7 of sum |x_i|.
 *
 * <p>Terms must be finite. The sum is finite, too: it saturates at the largest double.
 */
final class RunningSum {
  private double high;
  private double low;

  void add(double x) {
    double sum = within(high + x);
    double z = sum - high;
    low += (high - (sum - z)) + (x - z);
    high = sum;
  }

  /** Multiplies the sum by a factor from 0 to 1, with a relative error of about 2^-105. */
  void scale(double factor) {
    double product = high * factor;
    low = low * factor + Math.fma(high, factor, -product);
    high = product;
  }

  /** Scales the sum of {@code high[j]} and {@code low[j]} in the same way. */
  static void scale(double factor, double[] high, double[] low, int j) {
    double product = high[j] * factor;
    low[j] = low[j] * factor + Math.fma(high[j], factor, -product);
    high[j] = product;
  }

  double value() {
    return within(high + low);
  }

  private static double within(double x) {
    return Math.max(-Double.MAX_VALUE, Math.min(Double.MAX_VALUE, x));
  }

  void visit(LearnerState.Visitor visitor, String name) {
    high = visitor.scalar(name, high);
    low = visitor.scalar(name + "-low", low);
  }
}
