package io.croupier.accounting.anonymity;

import java.util.function.DoubleUnaryOperator;

/**
 * Where a falling function reaches a value, from above.
 *
 * @param function falling
 * @param value positive
 * @param precision relative, of the result
 */
record Root(DoubleUnaryOperator function, double value, double precision) {

  /**
   * A point at which the function is at most the value, and beyond the root by the precision at
   * most.
   *
   * @param low where the function is above the value
   * @param high where it is at most the value
   */
  double between(double low, double high) {
    double least = low;
    double most = high;
    double above = distance(low);
    double below = distance(high);
    // The secant, whose unmoved end counts half [Illinois]; each point is inside the interval.
    while (most - least > precision * most) {
      double margin = precision * most / 2;
      double share = below > -100 ? above / (above - below) : 0.25;
      double next = least + share * (most - least) + margin / 2;
      double middle = Math.max(least + margin, Math.min(most - margin, next));
      if (!(middle > least && middle < most)) {
        break;
      }
      double distance = distance(middle);
      if (distance > 0) {
        least = middle;
        above = distance;
        below /= 2;
      } else {
        most = middle;
        below = distance;
        above /= 2;
      }
    }
    return most;
  }

  private double distance(double at) {
    return StrictMath.log(function.applyAsDouble(at) / value);
  }
}
