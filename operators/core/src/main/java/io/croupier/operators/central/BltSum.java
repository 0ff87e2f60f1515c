package io.croupier.operators.central;

import java.util.Arrays;

/**
 * Prefix sums with buffered linear Toeplitz noise, streaming: with z the new noise, y = z - sum_j
 * omega_j S_j, then S_j &lt;- theta_j S_j + y; the noise of the prefix is the running sum of y.
 *
 * <p>The arithmetic is in integers: y in steps of the noise, S in 2^-16 of them. Products are
 * rounded down, the sum over j is rounded to a whole step. The error of sum_j omega_j S_j, as a
 * function of all past y, lies in an interval of length W = 1 + 2^-16 sum_j (1 + omega_j min(n, 1 /
 * (1 - theta_j))).
 *
 * <p>The parameters are part of the state; a restore requires the same ones.
 *
 * <p>Each step makes one draw and one pass: O(d m), without allocation.
 */
final class BltSum implements PrefixSum {
  private static final int BUFFER_BITS = 16;
  private static final long HALF = 1L << (BUFFER_BITS - 1);

  private final BltNoise blt;
  private final NoiseGrid grid;
  private final NodeNoise source;
  private final double[] theta;
  private final double[] omega;
  private final long[] sum;
  private final long[] noise;
  private final long[] scratch;
  private final long[][] buffers;
  private long steps;

  BltSum(BltNoise blt, int dimension, NoiseGrid grid, NodeNoise source, long after) {
    this.blt = blt;
    this.grid = grid;
    this.source = source;
    theta = blt.parameters().theta();
    omega = blt.parameters().omega();
    sum = new long[PrefixSumChecks.dimension(dimension)];
    noise = new long[dimension];
    scratch = new long[dimension];
    buffers = new long[theta.length][dimension];
    steps = after;
  }

  /** Returns W. */
  static double rounding(BltParameters parameters, long horizon) {
    double[] theta = parameters.theta();
    double[] omega = parameters.omega();
    double units = theta.length;
    for (int j = 0; j < theta.length; j++) {
      units += omega[j] * Math.min((double) horizon, 1 / (1 - theta[j]));
    }
    return 1 + Math.scalb(units, -BUFFER_BITS);
  }

  @Override
  public long round() {
    return steps;
  }

  @Override
  public void add(long[] roundSum, double[] prefix) {
    PrefixSumChecks.shape("roundSum", roundSum.length, sum.length);
    PrefixSumChecks.shape("prefix", prefix.length, sum.length);
    if (steps == blt.horizon()) {
      throw new IllegalStateException(
          "the noise covers a horizon of %d steps, and all of them are taken".formatted(steps));
    }
    steps++;
    source.draw(scratch);
    correlate();
    for (int i = 0; i < sum.length; i++) {
      sum[i] += roundSum[i];
    }
    grid.release(sum, noise, prefix);
  }

  private void correlate() {
    int m = buffers.length;
    long[] poles = new long[m];
    long[] weights = new long[m];
    for (int j = 0; j < m; j++) {
      poles[j] = BltParameters.fixedPoint(theta[j]);
      weights[j] = BltParameters.fixedPoint(omega[j]);
    }
    for (int i = 0; i < scratch.length; i++) {
      long past = HALF;
      for (int j = 0; j < m; j++) {
        past += product(buffers[j][i], weights[j]);
      }
      long y = scratch[i] - (past >> BUFFER_BITS);
      for (int j = 0; j < m; j++) {
        buffers[j][i] = product(buffers[j][i], poles[j]) + (y << BUFFER_BITS);
      }
      noise[i] += y;
    }
  }

  /** Returns the product with a multiple of 2^-62, rounded down. */
  private static long product(long value, long factor) {
    return Math.multiplyHigh(value << 2, factor);
  }

  @Override
  public void visit(Visitor visitor) {
    long before = steps;
    steps = visitor.count("steps", steps);
    visitor.vector("theta", theta);
    visitor.vector("omega", omega);
    boolean restores = before == 0 && steps > 0;
    if (restores
        && !(Arrays.equals(theta, blt.parameters().theta())
            && Arrays.equals(omega, blt.parameters().omega()))) {
      throw new IllegalStateException(
          "the noise in the state has other parameters than the charges of users; restore it with the release that wrote it");
    }
    visited(visitor, "sum", sum, restores);
    visited(visitor, "noise", noise, restores);
    for (int j = 0; j < buffers.length; j++) {
      visited(visitor, "buffer-" + j, buffers[j], restores);
    }
  }

  private static void visited(Visitor visitor, String name, long[] values, boolean restores) {
    if (restores) {
      Arrays.fill(values, Long.MIN_VALUE);
    }
    visitor.counts(name, values);
    if (restores) {
      PrefixSumChecks.restored(name, values);
    }
  }
}
