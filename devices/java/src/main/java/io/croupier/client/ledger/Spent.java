package io.croupier.client.ledger;

import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.client.randomiser.ReleaseCost;
import java.math.BigDecimal;

/**
 * The total cost of reports, or the cost of a single one. Relation: replace-one. A report that
 * doesn't disclose its noise is charged like one that does, since the device knows the noise.
 *
 * <p>Invariants: (1) no number is negative; (2) addition decreases none; (3) {@link Long#MAX_VALUE}
 * represents every value from there on, and stays.
 *
 * @param reports number of all reports
 * @param epsilonNanos sum of the pure epsilons in units of 1e-9, each report rounded up
 * @param muSquaredPicos sum of mu^2 in units of 1e-12, each report rounded up
 * @param undisclosed number of reports that don't disclose their noise
 * @param unbounded number of reports whose cost may exceed their contribution to the sums: those
 *     with a coordinate without noise, or with custom noise of unknown cost
 */
public record Spent(
    long reports, long epsilonNanos, long muSquaredPicos, long undisclosed, long unbounded) {
  /** The total before the first report. */
  public static final Spent NOTHING = new Spent(0, 0, 0, 0, 0);

  private static final int EPSILON_DECIMALS = 9;
  private static final int MU_SQUARED_DECIMALS = 12;

  /** The cost of one release, rounded up. */
  static Spent of(ReleaseCost cost) {
    return new Spent(
        1,
        DecimalUnits.roundUp(cost.epsilon(), EPSILON_DECIMALS),
        DecimalUnits.roundUp(cost.mu().pow(2), MU_SQUARED_DECIMALS),
        cost.undisclosed() ? 1 : 0,
        cost.unbounded() ? 1 : 0);
  }

  /** The sum, saturated. */
  public Spent plus(Spent other) {
    return new Spent(
        DecimalUnits.add(reports, other.reports),
        DecimalUnits.add(epsilonNanos, other.epsilonNanos),
        DecimalUnits.add(muSquaredPicos, other.muSquaredPicos),
        DecimalUnits.add(undisclosed, other.undisclosed),
        DecimalUnits.add(unbounded, other.unbounded));
  }

  /** The sum of the pure epsilons. */
  public BigDecimal epsilon() {
    return BigDecimal.valueOf(epsilonNanos, EPSILON_DECIMALS);
  }

  /** The sum of mu^2. */
  public BigDecimal muSquared() {
    return BigDecimal.valueOf(muSquaredPicos, MU_SQUARED_DECIMALS);
  }

  /** {@link #epsilon} in decimals; "at least" what a ledger can count, if it is more. */
  public String epsilonInWords() {
    return DecimalUnits.text(epsilonNanos, EPSILON_DECIMALS);
  }

  /** {@link #muSquared} likewise. */
  public String muSquaredInWords() {
    return DecimalUnits.text(muSquaredPicos, MU_SQUARED_DECIMALS);
  }
}
