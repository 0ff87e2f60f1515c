package io.croupier.accounting.privunit;

import java.util.function.DoubleUnaryOperator;

/**
 * The largest value of a function of b over (0, range]: a scan of two points an octave, then a
 * golden section about the best one. Right to a relative 1e-9 for a function with one maximum.
 */
final class Supremum {
  private static final double STEP = Math.sqrt(2);
  private static final int POINTS = 40;
  private static final double GOLDEN = (Math.sqrt(5) - 1) / 2;
  private static final int CUTS = 24;

  private Supremum() {}

  static double of(DoubleUnaryOperator function, double range) {
    double best = function.applyAsDouble(range);
    double where = range;
    double b = range;
    for (int i = 1; i < POINTS; i++) {
      b /= STEP;
      double value = function.applyAsDouble(b);
      if (value > best) {
        best = value;
        where = b;
      }
    }
    double low = where / STEP;
    double high = Math.min(range, where * STEP);
    double left = high - GOLDEN * (high - low);
    double right = low + GOLDEN * (high - low);
    double atLeft = function.applyAsDouble(left);
    double atRight = function.applyAsDouble(right);
    for (int i = 0; i < CUTS; i++) {
      best = Math.max(best, Math.max(atLeft, atRight));
      if (atLeft < atRight) {
        low = left;
        left = right;
        atLeft = atRight;
        right = low + GOLDEN * (high - low);
        atRight = function.applyAsDouble(right);
      } else {
        high = right;
        right = left;
        atRight = atLeft;
        left = high - GOLDEN * (high - low);
        atLeft = function.applyAsDouble(left);
      }
    }
    return best;
  }
}
