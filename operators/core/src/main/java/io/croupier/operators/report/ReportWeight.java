package io.croupier.operators.report;

import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;

/**
 * The weight of a report, by the precision that it declares: omega = 2^-k, k = round(log2 M), with
 * M = max(1, E||release||^2 / G^2) at a gradient of norm G. Weights are powers of two, so that sums
 * on a grid stay exact. They depend on what people declare, never on values; if all reports of a
 * model declare the same, all weights are equal and cancel.
 *
 * <p>An undisclosed report is trimmed to a norm of 2 G, so it counts as if M were 4.
 */
public final class ReportWeight {
  /** k of a report whose noise is unknown. */
  public static final int UNDISCLOSED = 2;

  /**
   * The largest k, which bounds the number of sums that a round keeps. Reports with more noise than
   * 10^6 G teach nothing, whatever they weigh.
   */
  static final int MOST = 40;

  /** Values are multiples of G sqrt(M) 2^-26, up to a factor of 4. */
  private static final int BITS = 26;

  private static final int VARIANCE_BITS = 20;

  private static final double SQRT_2 = Math.sqrt(2);

  private ReportWeight() {}

  /** Returns k of a report that declares {@code mechanism}. */
  public static int exponent(Mechanism mechanism, GradientSpace space) {
    if (mechanism instanceof UndisclosedNoise) {
      return UNDISCLOSED;
    }
    double moment = Math.max(1, 1 + mechanism.squaredError(space));
    return Math.min(MOST, Math.getExponent(moment * SQRT_2));
  }

  /** Returns omega. */
  public static double of(int exponent) {
    return Math.scalb(1.0, -exponent);
  }

  /**
   * Returns the exponent of the grid to which reports that are not on the model's grid are rounded,
   * so that their sums are exact: far finer than their noise. Never 0, which is the exponent of
   * bundles in states of earlier releases.
   *
   * @param gradientBound G of the publication that the report names
   * @param exponent k of the report
   */
  public static int gridExponent(double gradientBound, int exponent) {
    int gridExponent = Math.getExponent(gradientBound) - BITS + (exponent + 1) / 2;
    return gridExponent == 0 ? -1 : gridExponent;
  }

  /**
   * Returns a variance along one direction, rounded up so that sums of the variances of reports of
   * one weight are exact and don't depend on their order: by at most a part in 2^17 of the larger
   * of it and its share of M, G^2 2^k / d.
   *
   * @param exponent k of the report
   */
  public static double exactVariance(double variance, GradientSpace space, int exponent) {
    if (variance == 0 || !(variance < Double.POSITIVE_INFINITY)) {
      return variance;
    }
    int share =
        2 * Math.getExponent(space.gradientBound())
            + exponent
            - Math.getExponent((double) space.dimension());
    int least = Math.max(share, Math.getExponent(variance)) - VARIANCE_BITS;
    return Math.scalb(Math.ceil(Math.scalb(variance, -least)), least);
  }
}
