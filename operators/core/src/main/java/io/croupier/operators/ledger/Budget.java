package io.croupier.operators.ledger;

import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.accounting.mechanism.Cost;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Left;
import io.croupier.schemas.Limits;
import io.croupier.schemas.Spend;
import java.math.BigDecimal;

/**
 * The limits on the spend of one user, on one model or over all models, prepared for judging.
 *
 * <p>A report fits if the earlier spend plus its cost is at most each limit, in whole units:
 * declared decimals are rounded up, limits are rounded down, and a saturated sum exceeds every
 * limit. The spend contains everything charged, including refused reports with noise.
 *
 * <ul>
 *   <li>reports: the number of reports;
 *   <li>epsilon: the sum of the pure epsilons. Gaussian noise, answers of a level mu and central
 *       models have no pure epsilon, so they are refused;
 *   <li>mu: the sum of mu^2, with pure epsilons by their tight mu;
 *   <li>epsilon and delta: see {@link EpsilonAtDelta}.
 * </ul>
 *
 * <p>If the limits have a period, the spend is that of a window: see {@link DailyTotals}.
 */
final class Budget {
  private static final long NO_LIMIT = -1;

  private final String name;
  private final Limits limits;
  private final boolean empty;
  private final boolean pure;
  private final long reports;
  private final long epsilonNanos;
  private final long muSquaredPicos;
  private final EpsilonAtDelta atDelta;

  /**
   * Creates the budget of valid limits.
   *
   * @param name prefix of the limits' names, such as "limits." or "limits.user."
   */
  Budget(String name, Limits limits) {
    this.name = name;
    this.limits = limits;
    empty = limits.equals(Limits.getDefaultInstance());
    pure = limits.hasEpsilon() && !limits.hasDelta();
    reports = limits.hasReports() ? limits.getReports() : NO_LIMIT;
    epsilonNanos =
        pure ? DecimalUnits.roundDown(BigDecimal.valueOf(limits.getEpsilon()), 9) : NO_LIMIT;
    BigDecimal mu = limits.hasMu() ? BigDecimal.valueOf(limits.getMu()) : null;
    muSquaredPicos = mu == null ? NO_LIMIT : DecimalUnits.roundDown(mu.multiply(mu), 12);
    atDelta = limits.hasDelta() ? new EpsilonAtDelta(limits) : null;
  }

  /** Returns the days of the window that the limits count; 0 if they count all charges. */
  int period() {
    return limits.getPerDays();
  }

  /** Returns the order of Renyi divergences that the limits count; 0 if there is none. */
  double renyiOrder() {
    return atDelta == null ? 0 : atDelta.order();
  }

  /** Returns whether there is no limit. */
  boolean isEmpty() {
    return empty;
  }

  /**
   * Refuses noise whose cost can't be expressed in the terms of the limit.
   *
   * @param cost of the mechanism
   */
  Judgement judgeDeclaration(Mechanism mechanism, Cost cost) {
    if (period() > 0 && mechanism instanceof CentralNoise) {
      return Judgement.refusedDeclaration(
          mechanism,
          name
              + "per is set, and what a central model releases after the window also depends on"
              + " this report: the limits must have no period");
    }
    if (!limits.hasEpsilon() && !limits.hasMu()) {
      return Judgement.ADMITTED;
    }
    String limit = name + (limits.hasEpsilon() ? "epsilon" : "mu") + " is a limit";
    if (cost.isUndisclosed()) {
      return Judgement.refusedDeclaration(mechanism, limit + ", so the noise must be disclosed");
    }
    if (cost.isUnbounded()) {
      return Judgement.refusedDeclaration(
          mechanism, limit + ", so every coordinate must have a finite tau");
    }
    if (pure && mechanism instanceof CentralNoise) {
      return Judgement.refusedDeclaration(
          mechanism,
          limit
              + " of pure epsilons, which the noise of a central model doesn't have: the limit must"
              + " get a delta, or be one of mu");
    }
    if (pure && mechanism instanceof RandomisedResponseMechanism response && response.isMu()) {
      return Judgement.refusedDeclaration(
          mechanism,
          limit
              + " of pure epsilons, which an answer of a level mu doesn't have: its level must be"
              + " an epsilon, unless the limit gets a delta, or is one of mu");
    }
    if (pure && cost.isGaussian()) {
      return Judgement.refusedDeclaration(
          mechanism,
          limit
              + " of pure epsilons, which Gaussian noise doesn't have: it must be one of the"
              + " others, unless the limit gets a delta, or is one of mu");
    }
    return Judgement.ADMITTED;
  }

  /** Judges the cost of a report on top of the earlier spend. */
  Judgement judge(Totals spent, Totals cost) {
    if (!fits(spent.reports, cost.reports, reports)) {
      return refused("reports", "", reports, 0, spent.reports, cost.reports);
    }
    if (!fits(spent.epsilonNanos, cost.epsilonNanos, epsilonNanos)) {
      return refused("epsilon", "", epsilonNanos, 9, spent.epsilonNanos, cost.epsilonNanos);
    }
    if (!fits(spent.allMuSquared(), cost.allMuSquared(), muSquaredPicos)) {
      return refused(
          "mu", "the sum of mu^2", muSquaredPicos, 12, spent.allMuSquared(), cost.allMuSquared());
    }
    return atDelta == null ? Judgement.ADMITTED : atDelta.judge(name, spent, cost);
  }

  private static boolean fits(long spent, long cost, long limit) {
    return limit == NO_LIMIT || DecimalUnits.add(spent, cost) <= limit;
  }

  private Judgement refused(
      String limit, String sum, long most, int decimals, long spent, long cost) {
    return new Judgement(
        Outcome.REFUSED_BUDGET,
        name
            + limit
            + " is "
            + limits.getField(Limits.getDescriptor().findFieldByName(limit))
            + inPeriod(limits)
            + (sum.isEmpty() ? "" : ", so " + sum + " must be at most " + text(most, decimals))
            + spending(spent, cost, decimals));
  }

  /** Returns the words for the period of limits; empty if they have none. */
  static String inPeriod(Limits limits) {
    return switch (limits.getPerDays()) {
      case 0 -> "";
      case 1 -> " in 1 day";
      default -> " in " + limits.getPerDays() + " days";
    };
  }

  static String spending(long spent, long cost, int decimals) {
    return ": "
        + text(spent, decimals)
        + " was spent before, and this report would add "
        + text(cost, decimals);
  }

  private static String text(long units, int decimals) {
    return DecimalUnits.text(units, decimals);
  }

  /** Charges {@code totals} with {@code cost}. */
  void charge(Totals totals, Totals cost) {
    double order = renyiOrder();
    if (order > 0 && order != totals.renyiOrder) {
      totals.keepRenyi(order);
    }
    totals.add(cost);
  }

  /** Returns the record of totals, with epsilon at delta where a delta is set. */
  Spend.Builder toProto(Totals totals) {
    Spend.Builder spend = totals.toProto();
    if (atDelta != null) {
      spend.setEpsilonAtDelta(DecimalUnits.toDouble(atDelta.nanos(totals), 9));
    }
    return spend;
  }

  /**
   * Returns what is left after a spend.
   *
   * @param recorded the record of {@code spent}
   */
  Left left(Totals spent, Spend recorded) {
    Left.Builder left = Left.newBuilder();
    if (reports != NO_LIMIT) {
      left.setReports(Math.max(0, reports - spent.reports));
    }
    if (epsilonNanos != NO_LIMIT) {
      left.setEpsilon(DecimalUnits.toDoubleDown(Math.max(0, epsilonNanos - spent.epsilonNanos), 9));
    }
    if (muSquaredPicos != NO_LIMIT) {
      left.setMu(DecimalUnits.rootDown(Math.max(0, muSquaredPicos - spent.allMuSquared())));
    }
    if (atDelta != null && limits.hasEpsilon()) {
      long nanos = DecimalUnits.roundUp(recorded.getEpsilonAtDelta(), 9);
      left.setEpsilonAtDelta(DecimalUnits.toDoubleDown(atDelta.leftNanos(nanos), 9));
    }
    if (limits.hasMaxParticipations()) {
      left.setParticipations(
          (int) Math.max(0, limits.getMaxParticipations() - spent.participations));
    }
    return left.build();
  }
}
