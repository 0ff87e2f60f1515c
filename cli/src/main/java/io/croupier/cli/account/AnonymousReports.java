package io.croupier.cli.account;

import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.anonymity.AnonymousWindow;
import io.croupier.accounting.anonymity.WindowComposition;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Map;

/**
 * Anonymous reports of one declaration.
 *
 * @param dimension of gradients; 0 of answers
 * @param counted honest reports among which each report of a person hides
 * @param windows in which a person reports
 */
record AnonymousReports(
    AnonymousMechanism mechanism,
    int dimension,
    long counted,
    double availability,
    long windows,
    double delta) {
  static final double LEAST_EPSILON = 1e-4;
  private static final double MOST_EPSILON = 16;

  /** Of a local epsilon that is searched for. */
  private static final double PRECISION = 2e-3;

  private static final int DIGITS = 4;

  /** The central epsilon of one person. */
  double central(double epsilon, long reports) {
    AnonymousWindow window = window(epsilon);
    long all = Math.multiplyExact(windows, reports);
    return all == 1
        ? window.epsilon(delta)
        : WindowComposition.of(Map.of(window, all)).epsilon(delta);
  }

  private AnonymousWindow window(double epsilon) {
    return AnonymousWindow.of(mechanism.loss(dimension, epsilon), counted, availability);
  }

  /**
   * A local epsilon of at most 16 that satisfies a central one, with four digits: some 0.2 % below
   * the largest one at most; 0 if even 1e-4 is too large.
   */
  double local(double central, long reports) {
    long all = Math.multiplyExact(windows, reports);
    double most = Math.min(MOST_EPSILON, limit(central, all) * 1.02);
    double least = 0;
    double next = most;
    while (most - least > PRECISION * most) {
      double rounded =
          new BigDecimal(next).round(new MathContext(DIGITS, RoundingMode.FLOOR)).doubleValue();
      if (rounded < LEAST_EPSILON) {
        return 0;
      }
      if (isWithin(central, rounded, all)) {
        least = rounded;
        if (next >= most) {
          break;
        }
      } else {
        most = rounded;
      }
      next = least == 0 ? most * 0.97 : (least + most) / 2;
    }
    return least;
  }

  private boolean isWithin(double central, double epsilon, long all) {
    AnonymousWindow window = window(epsilon);
    return all == 1
        ? window.delta(central) <= delta
        : WindowComposition.of(Map.of(window, all)).epsilon(delta) <= central;
  }

  /** The local epsilon at which the limit of many reports has the central one: no guarantee. */
  private double limit(double central, long all) {
    double mu = GaussianDp.mu(central, StrictMath.log(delta));
    double low = 0;
    double high = MOST_EPSILON;
    while (high - low > 1e-3 * high) {
      double middle = (low + high) / 2;
      double each = window(middle).limitingDeviation();
      boolean isBelow = each * Math.sqrt((double) all) < mu || middle * all < central;
      low = isBelow ? middle : low;
      high = isBelow ? high : middle;
    }
    return high;
  }
}
