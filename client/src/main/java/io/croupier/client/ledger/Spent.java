package io.croupier.client.ledger;

import io.croupier.client.randomiser.Cost;
import java.math.BigDecimal;

/**
 * What reports add up to; what one costs is the total of that one. Relation: replace-one. A report
 * that doesn't disclose its noise is charged like one that does: here it is known.
 *
 * <p>Invariants: (1) no number is negative; (2) adding lowers none; (3) {@link Long#MAX_VALUE}
 * stands for anything from there on, and stays.
 *
 * @param reports all of them
 * @param epsilonNanos sum of the pure epsilons in units of 1e-9, each report rounded up
 * @param muSquaredPicos sum of mu^2 in units of 1e-12, each report rounded up
 * @param undisclosed reports that don't say what noise they carry
 * @param unbounded reports that may have cost more than the sums have of them: with a coordinate
 *     that has no noise, or own noise of unknown worth
 */
public record Spent(
    long reports, long epsilonNanos, long muSquaredPicos, long undisclosed, long unbounded) {
  /** Before the first report. */
  public static final Spent NOTHING = new Spent(0, 0, 0, 0, 0);

  private static final int EPSILON_DECIMALS = 9;
  private static final int MU_SQUARED_DECIMALS = 12;

  /** What one release costs, rounded up. */
  static Spent of(Cost cost) {
    return new Spent(
        1,
        Decimals.roundUp(cost.epsilon(), EPSILON_DECIMALS),
        Decimals.roundUp(cost.mu().pow(2), MU_SQUARED_DECIMALS),
        cost.undisclosed() ? 1 : 0,
        cost.unbounded() ? 1 : 0);
  }

  /** The sum, saturated. */
  public Spent plus(Spent other) {
    return new Spent(
        Decimals.add(reports, other.reports),
        Decimals.add(epsilonNanos, other.epsilonNanos),
        Decimals.add(muSquaredPicos, other.muSquaredPicos),
        Decimals.add(undisclosed, other.undisclosed),
        Decimals.add(unbounded, other.unbounded));
  }

  /** The sum of the pure epsilons. */
  public BigDecimal epsilon() {
    return BigDecimal.valueOf(epsilonNanos, EPSILON_DECIMALS);
  }

  /** The sum of mu^2. */
  public BigDecimal muSquared() {
    return BigDecimal.valueOf(muSquaredPicos, MU_SQUARED_DECIMALS);
  }
}
