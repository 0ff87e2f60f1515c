package io.croupier.operators.evaluation;

import java.util.function.DoublePredicate;
import java.util.function.DoubleUnaryOperator;

/**
 * Intervals of a fraction that contain it at every publication together, in 95 % of all runs.
 *
 * <p>S is the sum of the deviations of replies from their means, each times a weight that its level
 * alone fixes, and V the sum of their variances. Robbins' mixture [Rob70] of exp(l S - l^2 V / 2)
 * over l, normal with the variance 1 / r, is sqrt(r / (V + r)) exp(S^2 / (2 (V + r))). If every
 * deviation given the past is sub-Gaussian with its variance, as a normal one is, the mixture is a
 * supermartingale that begins at 1, and so ever exceeds 1 / alpha with a probability of at most
 * alpha [Vil39]: |S| ever exceeds sqrt((V + r) ln((V + r) / (r alpha^2))) with at most that
 * probability [HRMS21, section 3.2]. Replies are bits, whose variance may be less than that for
 * which they are sub-Gaussian, so the bound holds as they become many [WASKR24]. It may: while V is
 * below r, it is nearly that of V = r, and r is that of many replies.
 *
 * <p>The interval contains each fraction f that the bound allows: S is what the replies would
 * deviate by, and V their variance, if f were true. Both are concave in f, so it is an interval.
 */
final class ConfidenceSequence {
  /** Alpha. */
  private static final double MISSES = 0.05;

  /** Halvings of an interval within [0, 1] until its ends are known to a double's accuracy. */
  private static final int HALVINGS = 53;

  /** r. */
  private final double prior;

  /**
   * @param prior r; the intervals are shortest, over those for a single look, where V is some 10 r
   */
  ConfidenceSequence(double prior) {
    this.prior = prior;
  }

  /**
   * Returns the ends of the interval, from 0 to 1.
   *
   * @param estimate of the fraction
   * @param information by how much the sum of the replies grows with the fraction
   * @param variance V, if the fraction has a value from 0 to 1
   */
  double[] interval(double estimate, double information, DoubleUnaryOperator variance) {
    double possible = Math.min(1, Math.max(0, estimate));
    DoublePredicate isAllowed =
        f -> Math.abs(estimate - f) * information <= reach(variance.applyAsDouble(f));
    if (!isAllowed.test(possible)) {
      // No fraction makes the estimate likely, since it is too far beyond that of all or of none.
      return interval(possible, information, variance);
    }
    return new double[] {end(possible, 0, isAllowed), end(possible, 1, isAllowed)};
  }

  /** Returns what |S| ever exceeds with a probability of at most alpha. */
  double reach(double variance) {
    double sum = variance + prior;
    return Math.sqrt(sum * Math.log(sum / prior / (MISSES * MISSES)));
  }

  private static double end(double allowed, double limit, DoublePredicate isAllowed) {
    if (isAllowed.test(limit)) {
      return limit;
    }
    double inside = allowed;
    double outside = limit;
    for (int i = 0; i < HALVINGS; i++) {
      double middle = (inside + outside) / 2;
      if (isAllowed.test(middle)) {
        inside = middle;
      } else {
        outside = middle;
      }
    }
    return outside;
  }
}
