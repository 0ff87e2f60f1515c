package io.croupier.accounting;

import java.util.function.DoublePredicate;

/** The place up to which a condition holds. */
public final class Bisection {
  private Bisection() {}

  /** From a place at which the condition holds to one at which it doesn't, by so many halvings. */
  public static double root(double low, double high, int halvings, DoublePredicate holds) {
    double from = low;
    double to = high;
    for (int i = 0; i < halvings; i++) {
      double middle = (from + to) / 2;
      if (holds.test(middle)) {
        from = middle;
      } else {
        to = middle;
      }
    }
    return to;
  }
}
