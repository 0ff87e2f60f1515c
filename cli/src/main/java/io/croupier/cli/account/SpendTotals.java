package io.croupier.cli.account;

import io.croupier.accounting.Spends;
import io.croupier.operators.accounting.Totals;
import io.croupier.schemas.AccountingEvent;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one person spent, on one model or on all. The pure epsilons are kept one by one, equal ones
 * as a number, since they compose better than their sum does.
 */
final class SpendTotals {
  private Totals totals = new Totals();
  private final SortedMap<Double, Long> pure = new TreeMap<>();
  private BigDecimal rho = BigDecimal.ZERO;
  private long central;
  private long uncharged;

  Totals totals() {
    return totals;
  }

  void setTotals(Totals totals) {
    this.totals = totals;
  }

  /** Counts a report whose cost the totals have. */
  void count(AccountingEvent event) {
    switch (event.getDeclarationCase()) {
      case L2_LAPLACE -> pure.merge(event.getL2Laplace().getEpsilon(), 1L, Long::sum);
      case COORDINATE_LAPLACE -> {
        double sum = event.getCoordinateLaplace().getEpsilon();
        if (sum > 0) {
          pure.merge(sum, 1L, Long::sum);
        }
      }
      case CENTRAL -> {
        central++;
        uncharged += event.hasCentralSpend() ? 0 : 1;
      }
      case GAUSSIAN, UNDISCLOSED, DECLARATION_NOT_SET -> {}
    }
  }

  /** Adds a mechanism of which only a rho is known. */
  void addRho(BigDecimal more) {
    Totals cost = new Totals();
    cost.reports = 1;
    totals.add(cost);
    rho = rho.add(more);
  }

  /** Reports whose noise is the job's. */
  long central() {
    return central;
  }

  /** Those of them of which no event says what they cost. */
  long uncharged() {
    return uncharged;
  }

  /** All rho, that of pure and of Gaussian reports included. */
  double rho() {
    return Double.isInfinite(totals.rho())
        ? totals.rho()
        : up(rho.add(BigDecimal.valueOf(totals.rho())));
  }

  /** Whatever any bound depends on: entries with the same have the same bounds. */
  record BoundKey(SortedMap<Double, Long> pure, double mu, double variation, BigDecimal rho) {
    /** The same for the accountant. */
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
