package io.croupier.operators.math;

/**
 * Kernels on {@code double[]}: plain loops that the compiler turns into vector instructions, no
 * allocation. Sums use several accumulators in a fixed order, so the same input gives the same
 * bits. The relative error of a sum of d terms of one sign is at most about d / 8 units in the last
 * place, in practice a few.
 */
public final class Vectors {
  private Vectors() {}

  /** Returns the inner product of two vectors of the same length. */
  public static double dot(double[] x, double[] y) {
    if (x.length != y.length) {
      throw new IllegalArgumentException("vectors of lengths " + x.length + " and " + y.length);
    }
    double s0 = 0;
    double s1 = 0;
    double s2 = 0;
    double s3 = 0;
    int i = 0;
    for (; i < x.length - 3; i += 4) {
      s0 += x[i] * y[i];
      s1 += x[i + 1] * y[i + 1];
      s2 += x[i + 2] * y[i + 2];
      s3 += x[i + 3] * y[i + 3];
    }
    for (; i < x.length; i++) {
      s0 += x[i] * y[i];
    }
    return (s0 + s1) + (s2 + s3);
  }

  /** Returns the squared L2 norm. */
  public static double squaredNorm(double[] x) {
    return squaredNorm(x, 0, x.length);
  }

  /** Returns the squared L2 norm of the coordinates from {@code from} to before {@code to}. */
  public static double squaredNorm(double[] x, int from, int to) {
    double s0 = 0;
    double s1 = 0;
    double s2 = 0;
    double s3 = 0;
    double s4 = 0;
    double s5 = 0;
    double s6 = 0;
    double s7 = 0;
    int i = from;
    for (; i < to - 7; i += 8) {
      s0 += x[i] * x[i];
      s1 += x[i + 1] * x[i + 1];
      s2 += x[i + 2] * x[i + 2];
      s3 += x[i + 3] * x[i + 3];
      s4 += x[i + 4] * x[i + 4];
      s5 += x[i + 5] * x[i + 5];
      s6 += x[i + 6] * x[i + 6];
      s7 += x[i + 7] * x[i + 7];
    }
    for (; i < to; i++) {
      s0 += x[i] * x[i];
    }
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
  }

  /** Writes {@code factor * from} into {@code into}. */
  public static void scale(double factor, double[] from, double[] into) {
    for (int i = 0; i < from.length; i++) {
      into[i] = factor * from[i];
    }
  }

  /** Adds {@code factor * summand} to {@code sum}. */
  public static void addScaled(double factor, double[] summand, double[] sum) {
    for (int i = 0; i < sum.length; i++) {
      sum[i] += factor * summand[i];
    }
  }

  /** Adds {@code summand} to {@code sum}. */
  public static void add(double[] summand, double[] sum) {
    for (int i = 0; i < summand.length; i++) {
      sum[i] += summand[i];
    }
  }
}
