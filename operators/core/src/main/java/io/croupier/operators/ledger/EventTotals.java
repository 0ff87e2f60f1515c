package io.croupier.operators.ledger;

import io.croupier.accounting.mechanism.Cost;
import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.schemas.Spend;

/**
 * Applies the totals that an event records where earlier events are missing: these totals include
 * the missing ones, so that no user gets budget back. Recorded totals are rounded up, so they may
 * slightly exceed the ledger's.
 */
final class EventTotals {
  private EventTotals() {}

  /**
   * Raises every sum that is below the recorded one. A sum that is above stays: the event comes
   * from a ledger that had lost some spend, or had forgotten it and left one of its events.
   *
   * @throws IllegalArgumentException if a recorded value can't be a sum of costs
   */
  static void raise(Totals totals, Spend recorded) {
    requireSum("epsilon", recorded.getEpsilon());
    requireSum("mu", recorded.getMu());
    requireSum("rho", recorded.getRho());
    requireSum("mu_of_all", recorded.getMuOfAll());
    requireSum("renyi", recorded.getRenyi());
    requireSum("total_variation", recorded.getTotalVariation());
    requireSum("variation_rate", recorded.getVariationRate());
    boolean dearer = raiseDeclared(totals, recorded);
    raiseRenyi(totals, recorded, dearer);
    if (recorded.getTotalVariation() > 0) {
      totals.variationAttos =
          Math.max(totals.variationAttos, DecimalUnits.roundUp(recorded.getTotalVariation(), 18));
    }
    if (recorded.hasVariationRate()) {
      totals.variationRate = recorded.getVariationRate();
    }
    totals.reports = Math.max(totals.reports, recorded.getReports());
    totals.undisclosed = Math.max(totals.undisclosed, recorded.getUndisclosed());
    totals.unbounded = Math.max(totals.unbounded, recorded.getUnbounded());
    totals.participations = Math.max(totals.participations, recorded.getParticipations());
    totals.lastRound = Math.max(totals.lastRound, recorded.getLastRound());
  }

  private static void requireSum(String field, double recorded) {
    if (!(recorded >= 0)) {
      throw new IllegalArgumentException(
          "the totals' %s is %s; it must be at least 0".formatted(field, recorded));
    }
  }

  /** Raises the sums other than Renyi's; returns whether one of epsilon, mu and rho was raised. */
  private static boolean raiseDeclared(Totals totals, Spend recorded) {
    long epsilonNanos = DecimalUnits.roundUp(recorded.getEpsilon(), 9);
    long muSquaredPicos = Cost.muSquaredPicos(recorded.getMu());
    long rhoPicos = DecimalUnits.roundUp(recorded.getRho(), 12);
    boolean pureIsMissing = epsilonNanos > totals.epsilonNanos;
    boolean dearer =
        pureIsMissing || muSquaredPicos > totals.muSquaredPicos || rhoPicos > totals.rhoPicos;
    long pureMuSquaredPicos = less(totals.allMuSquared(), totals.muSquaredPicos);
    totals.epsilonNanos = Math.max(totals.epsilonNanos, epsilonNanos);
    totals.muSquaredPicos = Math.max(totals.muSquaredPicos, muSquaredPicos);
    totals.rhoPicos = Math.max(totals.rhoPicos, rhoPicos);
    if (totals.epsilonNanos == 0) {
      totals.gaussianFirst = totals.muSquaredPicos > 0;
    }
    if (recorded.hasMuOfAll()) {
      long pure = less(Cost.muSquaredPicos(recorded.getMuOfAll()), totals.muSquaredPicos);
      totals.pureMuSquaredPicos = Math.max(pureMuSquaredPicos, pure);
    } else if (pureIsMissing) {
      totals.pureMuSquaredPicos = 0; // so that a bound is used
    }
    return dearer;
  }

  private static long less(long sum, long part) {
    return sum == DecimalUnits.SATURATED ? sum : Math.max(0, sum - part);
  }

  private static void raiseRenyi(Totals totals, Spend recorded, boolean dearer) {
    double order = totals.renyiOrder;
    if (recorded.hasRenyiOrder() && recorded.getRenyiOrder() != order) {
      totals.keepRenyi(recorded.getRenyiOrder());
    }
    if (recorded.hasRenyiOrder()) {
      totals.renyiPicos =
          Math.max(totals.renyiPicos, DecimalUnits.roundUp(recorded.getRenyi(), 12));
    } else if (dearer && order > 0) {
      long kept = totals.renyiPicos;
      totals.renyiOrder = 0;
      totals.keepRenyi(order);
      totals.renyiPicos = Math.max(totals.renyiPicos, kept);
    }
  }
}
