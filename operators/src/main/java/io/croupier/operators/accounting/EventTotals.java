package io.croupier.operators.accounting;

import io.croupier.schemas.Spend;

/**
 * What an event tells of totals, where events before it are missing: totals count the missing ones
 * too, so that nobody gets budget back. What was told is rounded up, so it may be a little more
 * than the totals were.
 */
final class EventTotals {
  private EventTotals() {}

  /**
   * Raises every sum to what was told, if it is below. One that is above stays: the event is of a
   * ledger that had forgotten something.
   *
   * @throws IllegalArgumentException if what was told can't be a sum of costs
   */
  static void raise(Totals totals, Spend told) {
    requireSum("epsilon", told.getEpsilon());
    requireSum("mu", told.getMu());
    requireSum("rho", told.getRho());
    requireSum("mu_of_all", told.getMuOfAll());
    requireSum("renyi", told.getRenyi());
    requireSum("total_variation", told.getTotalVariation());
    requireSum("variation_rate", told.getVariationRate());
    boolean dearer = raiseDeclared(totals, told);
    raiseRenyi(totals, told, dearer);
    if (told.getTotalVariation() > 0) {
      totals.variationAttos =
          Math.max(totals.variationAttos, DecimalUnits.roundUp(told.getTotalVariation(), 18));
    }
    if (told.hasVariationRate()) {
      totals.variationRate = told.getVariationRate();
    }
    totals.reports = Math.max(totals.reports, told.getReports());
    totals.undisclosed = Math.max(totals.undisclosed, told.getUndisclosed());
    totals.unbounded = Math.max(totals.unbounded, told.getUnbounded());
    totals.participations = Math.max(totals.participations, told.getParticipations());
    totals.lastRound = Math.max(totals.lastRound, told.getLastRound());
  }

  private static void requireSum(String field, double told) {
    if (!(told >= 0)) {
      throw new IllegalArgumentException(
          "the totals' %s is %s; it must be at least 0".formatted(field, told));
    }
  }

  /** Returns whether something had to be raised. */
  private static boolean raiseDeclared(Totals totals, Spend told) {
    long epsilonNanos = DecimalUnits.roundUp(told.getEpsilon(), 9);
    long muSquaredPicos = Costs.muSquaredPicos(told.getMu());
    long rhoPicos = DecimalUnits.roundUp(told.getRho(), 12);
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
    if (told.hasMuOfAll()) {
      long pure = less(Costs.muSquaredPicos(told.getMuOfAll()), totals.muSquaredPicos);
      totals.pureMuSquaredPicos = Math.max(pureMuSquaredPicos, pure);
    } else if (pureIsMissing) {
      totals.pureMuSquaredPicos = 0; // so that a bound counts
    }
    return dearer;
  }

  private static long less(long sum, long part) {
    return sum == DecimalUnits.SATURATED ? sum : Math.max(0, sum - part);
  }

  private static void raiseRenyi(Totals totals, Spend told, boolean dearer) {
    double order = totals.renyiOrder;
    if (told.hasRenyiOrder() && told.getRenyiOrder() != order) {
      totals.keepRenyi(told.getRenyiOrder());
    }
    if (told.hasRenyiOrder()) {
      totals.renyiPicos = Math.max(totals.renyiPicos, DecimalUnits.roundUp(told.getRenyi(), 12));
    } else if (dearer && order > 0) {
      long kept = totals.renyiPicos;
      totals.renyiOrder = 0;
      totals.keepRenyi(order);
      totals.renyiPicos = Math.max(totals.renyiPicos, kept);
    }
  }
}
