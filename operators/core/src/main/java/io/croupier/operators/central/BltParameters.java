package io.croupier.operators.central;

import io.croupier.accounting.tree.ParticipationLimits;
import java.util.Arrays;

/**
 * A buffered linear Toeplitz matrix C [DMPST24]: lower triangular, ones on the diagonal, and c_k =
 * sum_j omega_j theta_j^(k-1) on the k-th diagonal below. Prefix sums A = B C are released as B (C
 * x + z); their noise is B z, the running sum of C^-1 z.
 *
 * <p>C^-1 is of the same kind; its poles interlace: theta_1 > theta^_1 > theta_2 > ... > theta^_m.
 * Numbers near 1 are represented by their complements. Immutable.
 *
 * <p>Invariants: (1) theta strictly decreasing in (0, 1], omega positive; (2) sum omega &lt;= 1, so
 * that no c_k exceeds c_(k-1); (3) both are multiples of 2^-62, exactly the factors that {@link
 * BltSum} multiplies by.
 */
public final class BltParameters {
  /** The most buffers: the fifth one gains less than a percent. */
  public static final int MOST_BUFFERS = 5;

  private static final int FRACTION_BITS = 62;
  private static final int BISECTIONS = 2000;

  private final double[] theta;
  private final double[] omega;

  private BltParameters(double[] theta, double[] omega) {
    this.theta = theta;
    this.omega = omega;
  }

  /**
   * Returns the matrix of these parameters, rounded to multiples of 2^-62.
   *
   * @throws IllegalArgumentException if one of the invariants doesn't hold
   */
  public static BltParameters of(double[] theta, double[] omega) {
    if (theta.length < 1 || theta.length > MOST_BUFFERS || omega.length != theta.length) {
      throw new IllegalArgumentException(
          "theta has %d values and omega %d; both must have as many as there are buffers, 1 to %d"
              .formatted(theta.length, omega.length, MOST_BUFFERS));
    }
    double[] poles = rounded(theta);
    double[] weights = rounded(omega);
    double sum = 0;
    double above = Math.nextUp(1.0);
    for (int j = 0; j < poles.length; j++) {
      if (!(poles[j] > 0 && poles[j] < above)) {
        throw new IllegalArgumentException(
            "theta %s is %s; it must be above 0, and below %s"
                .formatted(j, poles[j], above > 1 ? "or at 1" : "the one before, " + above));
      }
      if (!(weights[j] > 0)) {
        throw new IllegalArgumentException(
            "omega %s is %s; it must be positive".formatted(j, weights[j]));
      }
      above = poles[j];
      sum += weights[j];
    }
    if (sum > 1) {
      throw new IllegalArgumentException("omega has a sum of " + sum + "; it must be at most 1");
    }
    return new BltParameters(poles, weights);
  }

  private static double[] rounded(double[] values) {
    return Arrays.stream(values)
        .map(v -> Math.scalb(Math.rint(Math.scalb(v, FRACTION_BITS)), -FRACTION_BITS))
        .toArray();
  }

  /** Returns the number of buffers m. */
  public int buffers() {
    return theta.length;
  }

  /** Returns the poles of C, shape [m]; a copy. */
  public double[] theta() {
    return theta.clone();
  }

  /** Returns the weights of the poles, shape [m]; a copy. */
  public double[] omega() {
    return omega.clone();
  }

  /** Returns a number of [0, 1] as a whole multiple of 2^-62. */
  static long fixedPoint(double value) {
    return (long) Math.scalb(value, FRACTION_BITS);
  }

  /** Returns the largest squared norm of C u over the participations u of one user. */
  double squaredSensitivity(long steps, ParticipationLimits limits) {
    return BltSensitivity.squared(complements(), omega, steps, limits);
  }

  /** Returns the variances of prefixes, for independent noise of variance 1 in each step. */
  PrefixVariance prefixVariance() {
    double[] poles = complements();
    return PrefixVariance.of(poles, inversePoles(poles));
  }

  private double[] complements() {
    return Arrays.stream(theta).map(t -> 1 - t).toArray();
  }

  /**
   * Returns the complements of the poles of C^-1: the zeros of 1 + sum_j omega_j / (theta^ -
   * theta_j), by bisection between neighbours of theta, the last one below them all.
   */
  private double[] inversePoles(double[] poles) {
    int m = poles.length;
    double[] inverse = new double[m];
    for (int j = 0; j < m; j++) {
      double low = poles[j];
      double high = j < m - 1 ? poles[j + 1] : poles[j] + 1;
      for (int i = 0; i < BISECTIONS; i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) {
          break;
        }
        if (characteristic(poles, middle) < 0) {
          low = middle;
        } else {
          high = middle;
        }
      }
      inverse[j] = high;
    }
    return inverse;
  }

  /**
   * The function whose zeros are the poles of C^-1. It rises from minus infinity at a pole to plus
   * infinity at the next one.
   */
  private double characteristic(double[] poles, double complement) {
    double sum = 1;
    for (int j = 0; j < poles.length; j++) {
      sum += omega[j] / (poles[j] - complement);
    }
    return sum;
  }
}
