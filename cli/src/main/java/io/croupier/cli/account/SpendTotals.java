package io.croupier.cli.account;

import static java.util.Comparator.comparingDouble;

import io.croupier.accounting.PureLoss;
import io.croupier.accounting.Spends;
import io.croupier.operators.accounting.Totals;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvents;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one user spent, on one model or on all. The pure losses are kept individually, with the
 * count of equal ones, since composition gives a better bound for them than for their sum.
 */
final class SpendTotals {
  private Totals totals = new Totals();
  private final SortedMap<PureLoss, Long> pure =
      new TreeMap<>(comparingDouble(PureLoss::epsilon).thenComparingDouble(PureLoss::others));
  private BigDecimal rho = BigDecimal.ZERO;
  private long central;
  private long uncharged;

  Totals totals() {
    return totals;
  }

  void setTotals(Totals totals) {
    this.totals = totals;
  }

  /** Counts a report whose cost the totals already contain. */
  void count(AccountingEvent event) {
    PureLoss loss = AccountingEvents.cost(event).loss();
    if (loss.epsilon() > 0) {
      pure.merge(loss, 1L, Long::sum);
    }
    if (event.hasCentral()) {
      central++;
      uncharged += event.hasCentralSpend() ? 0 : 1;
    }
  }

  /** Adds a mechanism with a zCDP guarantee of rho. */
  void addRho(BigDecimal more) {
    Totals cost = new Totals();
    cost.reports = 1;
    totals.add(cost);
    rho = rho.add(more);
  }

  /** The number of central reports, to which the job adds the noise. */
  long central() {
    return central;
  }

  /** The number of central reports whose events don't contain their cost. */
  long uncharged() {
    return uncharged;
  }

  /** The total rho, including that of pure and of Gaussian reports. */
  double rho() {
    return Double.isInfinite(totals.rho())
        ? totals.rho()
        : up(rho.add(BigDecimal.valueOf(totals.rho())));
  }

  /** Everything that the bounds depend on: equal keys have equal bounds. */
  record BoundKey(SortedMap<PureLoss, Long> pure, double mu, double variation, BigDecimal rho) {
    /** The spends in the accountant's form. */
    Spends spends() {
      Spends spends = new Spends();
      pure.forEach(spends::addPure);
      spends.addMu(mu);
      spends.addVariation(variation);
      spends.addRho(up(rho));
      return spends;
    }
  }

  BoundKey key() {
    return new BoundKey(
        Collections.unmodifiableSortedMap(pure), totals.mu(), totals.variation(), rho);
  }

  private static double up(BigDecimal number) {
    double nearest = number.doubleValue();
    return BigDecimal.valueOf(nearest).compareTo(number) < 0 ? Math.nextUp(nearest) : nearest;
  }
}
