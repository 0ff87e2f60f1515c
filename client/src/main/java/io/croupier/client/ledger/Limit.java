package io.croupier.client.ledger;

import io.croupier.client.randomiser.Cost;
import java.math.BigDecimal;

/**
 * What a person is willing to spend from this device, over all models. Epsilons and mus are counted
 * apart, and each has its own limit: where one is limited and the other not wanted, that one's is
 * 0, as {@link #ofEpsilon} and {@link #ofMu} have it.
 *
 * <p>A report whose cost has no bound fits no limit of epsilon or mu: where either is finite it is
 * refused. Earlier ones, released when there was no limit, are not held against later ones.
 *
 * @param epsilon the pure epsilons may add up to this; at least 0, Infinity: no limit
 * @param mu the root of the sum of mu^2 may come to this; at least 0, Infinity: no limit
 * @param reports how many there may be; at least 0
 */
public record Limit(double epsilon, double mu, long reports) {
  /** Everything is counted, nothing refused. */
  public static final Limit NONE =
      new Limit(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, Long.MAX_VALUE);

  /**
   * Checks the arguments.
   *
   * @throws IllegalArgumentException if one is negative or NaN
   */
  public Limit {
    requireNotNegative("epsilon", epsilon, epsilon >= 0);
    requireNotNegative("mu", mu, mu >= 0);
    requireNotNegative("reports", reports, reports >= 0);
  }

  /** Pure epsilon only: Gaussian noise is refused. */
  public static Limit ofEpsilon(double epsilon) {
    return new Limit(epsilon, 0, Long.MAX_VALUE);
  }

  /** Gaussian noise only: reports that spend epsilon are refused. */
  public static Limit ofMu(double mu) {
    return new Limit(0, mu, Long.MAX_VALUE);
  }

  private static void requireNotNegative(String name, Number value, boolean holds) {
    if (!holds) {
      throw new IllegalArgumentException(name + " is " + value + "; it must be at least 0");
    }
  }

  /**
   * Lets a report pass, or doesn't.
   *
   * @param cost of the report
   * @param after what would be spent then, the report included
   * @throws LimitReachedException if that is too much
   */
  void admit(Spent cost, Spent after) {
    if (cost.unbounded() > 0 && Math.min(epsilon, mu) < Double.POSITIVE_INFINITY) {
      throw new LimitReachedException(
          "the cost would have no bound, as a tau is Infinity or the maker of own noise states"
              + " neither epsilon nor mu; the limit is epsilon = "
              + epsilon
              + ", mu = "
              + mu);
    }
    if (after.reports() > reports) {
      throw new LimitReachedException(
          "reports would be " + after.reports() + "; the limit is " + reports);
    }
    if (isAbove(after.epsilonNanos(), after.epsilon(), epsilon, 1)) {
      throw new LimitReachedException(
          "epsilon would add up to " + plain(after.epsilon()) + "; the limit is " + epsilon);
    }
    if (isAbove(after.muSquaredPicos(), after.muSquared(), mu, 2)) {
      throw new LimitReachedException(
          "mu^2 would add up to "
              + plain(after.muSquared())
              + "; the limit is the square of mu = "
              + mu);
    }
  }

  private static boolean isAbove(long units, BigDecimal sum, double limit, int power) {
    if (limit == Double.POSITIVE_INFINITY) {
      return false;
    }
    // A saturated sum stands for anything.
    return units == Decimals.SATURATED || sum.compareTo(Cost.decimal(limit).pow(power)) > 0;
  }

  private static String plain(BigDecimal number) {
    return number.stripTrailingZeros().toPlainString();
  }
}
