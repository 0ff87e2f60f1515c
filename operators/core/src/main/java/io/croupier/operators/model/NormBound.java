package io.croupier.operators.model;

import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.report.VectorForm;

/**
 * The scaling of a vector to an L2 norm of at most a bound, without overflow or underflow of its
 * squares: {@link #fit} finds the factor for one vector, {@link #scaled} applies it to a value.
 *
 * <p>O(number of values). Not safe for use by several threads.
 */
final class NormBound {
  /** Between these bounds, a sum of squares neither overflows nor loses digits to underflow. */
  private static final double LEAST_SQUARES = 1e-200;

  private static final double MOST_SQUARES = 1e200;

  private double factor = 1;

  /** Divisor of values before they are scaled: 1, or the largest one. */
  private double divisor = 1;

  /**
   * Finds the factor for a vector: 1 if it is within the bound, 0 if a value is not finite.
   *
   * @param bound positive
   */
  void fit(VectorForm form, byte[] values, int gridExponent, double bound) {
    double squares = PackedVectors.squaredNorm(form, values, gridExponent);
    divisor = 1;
    factor =
        squares >= LEAST_SQUARES && squares <= MOST_SQUARES
            ? Math.min(1, bound / Math.sqrt(squares))
            : factorByLargest(form, values, gridExponent, bound);
  }

  private double factorByLargest(VectorForm form, byte[] values, int gridExponent, double bound) {
    int n = PackedVectors.count(form, values);
    double gridStep = Math.scalb(1.0, gridExponent);
    double largest = 0;
    for (int i = 0; i < n; i++) {
      double x = PackedVectors.valueAt(form, values, i, gridStep);
      largest = Math.max(largest, Math.abs(x));
    }
    if (largest == 0) {
      return 1;
    }
    if (!(largest <= Double.MAX_VALUE)) {
      return 0;
    }
    double shares = 0;
    for (int i = 0; i < n; i++) {
      double x = PackedVectors.valueAt(form, values, i, gridStep);
      shares += x / largest * (x / largest);
    }
    double length = Math.sqrt(shares);
    if (length * largest <= bound) {
      return 1;
    }
    divisor = largest;
    return bound / length;
  }

  /** Returns whether the vector was within the bound. */
  boolean isWithin() {
    return factor == 1 && divisor == 1;
  }

  /** Returns the factor; 0 where it would underflow. */
  double factor() {
    return factor / divisor;
  }

  /** Returns a value of the vector, scaled. */
  double scaled(double x) {
    return (divisor == 1 ? x : x / divisor) * factor;
  }
}
