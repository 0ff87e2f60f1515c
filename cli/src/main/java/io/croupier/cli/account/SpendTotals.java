package io.croupier.cli.account;

import io.croupier.accounting.PureLoss;
import io.croupier.accounting.Spends;
import io.croupier.operators.ledger.Totals;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvents;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * What one user spent, on one model or on all. The pure losses are kept individually, with the
 * count of equal ones, since composition gives a better bound for them than for their sum.
 */
final class SpendTotals {
  private Totals totals = new Totals();
  private final Map<PureLoss, Long> pure = new HashMap<>();
  private BigDecimal rho = BigDecimal.ZERO;
  private long central;
  private long uncharged;

  /** A copy, from which a model begins after its user's account was erased. */
  SpendTotals copy() {
    SpendTotals copy = new SpendTotals();
    copy.pure.putAll(pure);
    copy.rho = rho;
    return copy;
  }

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

  /** Counts pure losses that the totals contain, and of which no event is left, as one of them. */
  void countMissing(double epsilon) {
    pure.merge(PureLoss.ofEpsilon(epsilon), 1L, Long::sum);
  }

  /** Adds a zCDP guarantee of a mechanism that the totals already count. */
  void addRho(BigDecimal more) {
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
  record BoundKey(Map<PureLoss, Long> pure, double mu, double variation, BigDecimal rho) {
    private static final Comparator<PureLoss> ORDER =
        Comparator.comparingDouble(PureLoss::epsilon).thenComparing(PureLoss::toString);

    /** The spends in the accountant's form: in one order, so that equal keys have equal results. */
    Spends spends() {
      Spends spends = new Spends();
      pure.keySet().stream().sorted(ORDER).forEach(loss -> spends.addPure(loss, pure.get(loss)));
      spends.addMu(mu);
      spends.addVariation(variation);
      spends.addRho(up(rho));
      return spends;
    }
  }

  BoundKey key() {
    return new BoundKey(Collections.unmodifiableMap(pure), totals.mu(), totals.variation(), rho);
  }

  private static double up(BigDecimal number) {
    double nearest = number.doubleValue(); // infinite if it is too large
    return nearest <= Double.MAX_VALUE && BigDecimal.valueOf(nearest).compareTo(number) < 0
        ? Math.nextUp(nearest)
        : nearest;
  }
}
