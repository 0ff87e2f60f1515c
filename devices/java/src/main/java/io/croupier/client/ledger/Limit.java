package io.croupier.client.ledger;

import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.client.randomiser.ReleaseCost;
import java.math.BigDecimal;

/**
 * The largest privacy spending that a person allows from this device, over all models. Epsilons and
 * mus are counted separately, and each has its own limit. To forbid one kind of noise, set its
 * limit to 0, as {@link #ofEpsilon} and {@link #ofMu} do.
 *
 * <p>A report of unbounded cost exceeds every finite limit of epsilon or mu. Earlier unbounded
 * reports, released without a limit, don't prevent later reports.
 *
 * @param epsilon largest sum of the pure epsilons; at least 0, Infinity: no limit
 * @param mu largest root of the sum of mu^2; at least 0, Infinity: no limit
 * @param reports largest number of reports; at least 0
 * @param answers share of the limits up to which the device answers questions, those of the search
 *     for a clip among them, from 0 to 1. Once the total spending, gradients included, reaches that
 *     share, only gradients are reported; so answers take no more than it
 */
public record Limit(double epsilon, double mu, long reports, double answers) {
  /** No limit: all reports are counted, and none is refused. */
  public static final Limit NONE =
      new Limit(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, Long.MAX_VALUE);

  /**
   * Checks the arguments.
   *
   * @throws IllegalArgumentException if one is negative or NaN, or the share is above 1
   */
  public Limit {
    requireNotNegative("epsilon", epsilon, epsilon >= 0);
    requireNotNegative("mu", mu, mu >= 0);
    requireNotNegative("reports", reports, reports >= 0);
    if (!(answers >= 0 && answers <= 1)) {
      throw new IllegalArgumentException("answers is " + answers + "; it must be from 0 to 1");
    }
  }

  /** A limit up to which questions are answered, too. */
  public Limit(double epsilon, double mu, long reports) {
    this(epsilon, mu, reports, 1);
  }

  /** A limit on pure epsilon; Gaussian noise is refused. */
  public static Limit ofEpsilon(double epsilon) {
    return new Limit(epsilon, 0, Long.MAX_VALUE);
  }

  /** A limit on mu; reports that spend epsilon are refused. */
  public static Limit ofMu(double mu) {
    return new Limit(0, mu, Long.MAX_VALUE);
  }

  /** The same limit, with another share up to which questions are answered. */
  public Limit withAnswers(double share) {
    return new Limit(epsilon, mu, reports, share);
  }

  private static void requireNotNegative(String name, Number value, boolean holds) {
    if (!holds) {
      throw new IllegalArgumentException(name + " is " + value + "; it must be at least 0");
    }
  }

  /**
   * Checks a report against the limits.
   *
   * @param cost cost of the report
   * @param after total spending including the report
   * @throws LimitReachedException if a limit is exceeded
   */
  void admit(Spent cost, Spent after) {
    if (cost.unbounded() > 0 && Math.min(epsilon, mu) < Double.POSITIVE_INFINITY) {
      throw new LimitReachedException(
          "the cost has no bound, because a tau is Infinity or the report's custom noise"
              + " states neither epsilon nor mu; the limit is epsilon = "
              + plain(epsilon)
              + ", mu = "
              + plain(mu));
    }
    if (after.reports() > reports) {
      throw new LimitReachedException(
          "reports would be " + after.reports() + "; the limit is " + reports);
    }
    if (epsilon == 0 && cost.epsilonNanos() > 0) {
      throw new LimitReachedException(
          "the report spends epsilon = "
              + cost.epsilonInWords()
              + "; the limit, mu = "
              + plain(mu)
              + ", allows Gaussian noise only: state a limit on epsilon, too, or use Gaussian"
              + " noise");
    }
    if (mu == 0 && cost.muSquaredPicos() > 0) {
      throw new LimitReachedException(
          "the report has Gaussian noise and spends mu^2 = "
              + cost.muSquaredInWords()
              + "; the limit, epsilon = "
              + plain(epsilon)
              + ", allows none: state a limit on mu, too, or use other noise");
    }
    if (isAbove(after.epsilonNanos(), after.epsilon(), epsilon, 1)) {
      throw new LimitReachedException(
          "epsilon would add up to " + after.epsilonInWords() + "; the limit is " + plain(epsilon));
    }
    if (isAbove(after.muSquaredPicos(), after.muSquared(), mu, 2)) {
      throw new LimitReachedException(
          "mu^2 would add up to "
              + after.muSquaredInWords()
              + "; the limit is the square of mu = "
              + plain(mu));
    }
  }

  /**
   * Checks an answer against the share of the limits that answers may take.
   *
   * @throws LimitReachedException if a limit, or that share of one, is exceeded
   */
  void admitAnswer(Spent cost, Spent after) {
    admit(cost, after);
    if (answers == 0) {
      throw new LimitReachedException("the limit allows no answers: their share of it is 0");
    }
    try {
      share().admit(cost, after);
    } catch (LimitReachedException e) {
      throw new LimitReachedException(
          String.format(
              "%s, which is the share %s that answers may take", e.getMessage(), answers));
    }
  }

  /** Returns false for an answer that the limit admits, and the share of it doesn't. */
  boolean isWithinShare(Spent cost, Spent after) {
    return admits(share(), cost, after) || !admits(this, cost, after);
  }

  private static boolean admits(Limit limit, Spent cost, Spent after) {
    try {
      limit.admit(cost, after);
      return true;
    } catch (LimitReachedException e) {
      return false;
    }
  }

  private Limit share() {
    BigDecimal ofReports = BigDecimal.valueOf(reports).multiply(ReleaseCost.decimal(answers));
    return new Limit(shareOf(epsilon), shareOf(mu), ofReports.longValue());
  }

  /** As the decimals of both: doubles have less than 2.1 as the share 0.7 of 3. */
  private double shareOf(double limit) {
    if (limit == Double.POSITIVE_INFINITY) {
      return answers == 0 ? 0 : limit;
    }
    return ReleaseCost.decimal(limit).multiply(ReleaseCost.decimal(answers)).doubleValue();
  }

  private static boolean isAbove(long units, BigDecimal sum, double limit, int power) {
    if (limit == Double.POSITIVE_INFINITY) {
      return false;
    }
    // A saturated sum represents any larger value.
    return units == DecimalUnits.SATURATED
        || sum.compareTo(ReleaseCost.decimal(limit).pow(power)) > 0;
  }

  private static String plain(double limit) {
    return limit == (long) limit ? Long.toString((long) limit) : Double.toString(limit);
  }
}
