package io.croupier.operators.ledger;

import io.croupier.accounting.DiscreteGaussian;
import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.RenyiDp;
import io.croupier.accounting.RenyiFilter;
import io.croupier.accounting.ZeroConcentratedDp;
import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Limits;
import java.math.BigDecimal;

/**
 * Epsilon at a delta: a filter that decides which reports still fit, and a bound that is reported.
 *
 * <p><b>The filter</b> is sound for adaptively chosen reports. A report fits if afterwards
 *
 * <ol type="A">
 *   <li>all reports are pure, and the pure epsilons add up to at most epsilon, or
 *   <li>the account's own filter holds: if its first report was Gaussian, the sum of mu^2, pure
 *       ones by their tight mu, is at most M^2, and the distances of discrete noise from the
 *       Gaussian law add up to at most r M^2 ({@link DiscreteGaussian}); r is the larger of 1.02
 *       times the distance per unit of mu^2 in the first report's model, and of the ratio whose
 *       distance costs a hundredth of delta; M is the largest mu with which both keep epsilon at
 *       delta [KTH23]. This filter is used if it admits more Gaussian noise alone than the next
 *       one. Otherwise the Renyi divergences add up to at most the budget of the {@link
 *       RenyiFilter}, whose order depends on epsilon and delta alone [FZ21].
 * </ol>
 *
 * <p>Proof: the kind of the first report, and its model, are chosen before anything of the account
 * was released, so they select one filter, not the better of two. The Renyi divergence of discrete
 * noise needs no distance. In the other filter every report is within its distance of one that is
 * mu-GDP, whatever was released before it, so all reports together are within the sum of the
 * distances that the filter admits. Let X be the transcripts that end in A. On X the ratio of
 * densities for two users' data is at most e^epsilon, so P(S and X) &lt;= e^epsilon Q(S and X). Any
 * other transcript was admitted to its end by B, and since B's sums never fall, at every step. A
 * curator with B alone produces it with the same probability, so P(S without X) &lt;= e^epsilon Q(S
 * without X) + delta. Adding both proves the claim: A costs no delta.
 *
 * <p>The claim holds for limits that were chosen independently of the releases: epsilon and delta
 * determine mu and the order, so changing them in response to outputs also chooses the filter
 * adaptively.
 *
 * <p><b>Limits with a period</b> use the filter of Renyi divergences, whatever the first report
 * was. Each window of the period then satisfies A or B: every report was judged with all reports of
 * the window that ends on its day, which contains those of any other window up to that report. So
 * the proof above holds for the reports of any one window, given everything that was released
 * before it. With a filter that depends on the first report, windows would switch between filters.
 *
 * <p><b>The bound</b> is the least of: the pure sum and the epsilon of the Gaussian rest; the
 * epsilon of all mu, both with the distance of discrete noise; the conversion of the Renyi
 * divergence, at the order kept and, from rho, at the order that is best for rho. Each is sound by
 * itself for reports that are not chosen adaptively, so the bound can be below the filter's own
 * value. A bound from a saturated sum is infinite.
 *
 * <p>Computing the bound takes up to two solutions of {@link GaussianDp#epsilon}, under 2
 * microseconds, for every event and set of totals, also where nothing was charged: caching it would
 * add to every account's state.
 */
final class EpsilonAtDelta {
  /** More than the relative error of any evaluation here. */
  private static final double SLACK = 0x1p-40;

  /** The least share of delta that is reserved for the distance of discrete noise. */
  private static final double SHARE = 0.01;

  /** Each report's distance is rounded up, so it may exceed the rate times mu^2 a little. */
  private static final double ROOM = 1.02;

  private final double delta;
  private final double logDelta;
  private final boolean limited;
  private final String inPeriod;
  private final double epsilon;
  private final long epsilonNanos;
  private final double order;
  private final long renyiPicos;

  /** The filter of the latest rate, which nearly always repeats. */
  private GaussianFilter last;

  /**
   * The largest sums allowed where Gaussian noise came first.
   *
   * @param admitsMore whether it admits more Gaussian noise than the filter of Renyi divergences
   */
  private record GaussianFilter(
      double rate, long muSquaredPicos, long variationAttos, boolean admitsMore) {}

  /** Creates the filter and the bound of limits with a delta. */
  EpsilonAtDelta(Limits limits) {
    delta = limits.getDelta();
    logDelta = Math.nextDown(StrictMath.log(delta));
    limited = limits.hasEpsilon();
    inPeriod = Budget.inPeriod(limits);
    epsilon = limits.getEpsilon();
    if (limited) {
      RenyiFilter filter = RenyiFilter.of(epsilon, logDelta);
      epsilonNanos = DecimalUnits.roundDown(BigDecimal.valueOf(epsilon), 9);
      order = filter.order();
      renyiPicos = down(filter.budget());
    } else {
      epsilonNanos = 0;
      order = 0;
      renyiPicos = 0;
    }
  }

  /** Converts to units of 1e-12, rounded down; never saturated. */
  private static long down(double number) {
    return down(number, 1e12);
  }

  private static long down(double number, double units) {
    return (long) Math.min(number * units * (1 - SLACK), 0x1p62);
  }

  /** Returns the filter of a rate; takes some 30 microseconds unless the rate repeats. */
  private GaussianFilter filter(double rate) {
    GaussianFilter filter = last;
    if (filter == null || filter.rate != rate) {
      double most = GaussianDp.mu(epsilon, logDelta);
      double share = SHARE * delta / (1 + StrictMath.exp(epsilon)) / most / most;
      double kept = Math.max(Math.max(rate * ROOM, share), Double.MIN_NORMAL);
      double mu = DiscreteGaussian.mu(epsilon, kept, logDelta);
      long muSquaredPicos = down(mu * mu);
      filter =
          new GaussianFilter(
              rate,
              muSquaredPicos,
              down(kept * mu * mu, 1e18),
              muSquaredPicos * (order / 2) > renyiPicos);
      last = filter;
    }
    return filter;
  }

  /** Returns the order whose divergences must be kept; 0 if there is none. */
  double order() {
    return order;
  }

  /** Judges the cost of a report on top of the earlier spend. */
  Judgement judge(String name, Totals spent, Totals cost) {
    boolean pure = spent.isPure() && cost.isPure();
    if (!limited
        || (pure && DecimalUnits.add(spent.epsilonNanos, cost.epsilonNanos) <= epsilonNanos)) {
      return Judgement.ADMITTED;
    }
    String limit =
        name + "epsilon is " + epsilon + " at " + name + "delta " + delta + inPeriod + ", so ";
    GaussianFilter filter =
        inPeriod.isEmpty() && spent.gaussianDecides(cost) ? filter(spent.rate(cost)) : null;
    if (filter == null || !filter.admitsMore) {
      return judge(
          limit + "the sum of Renyi divergences of order " + order,
          renyiPicos,
          spent.renyiPicos(order),
          cost.renyiPicos(order),
          12);
    }
    Judgement byMu =
        judge(
            limit + "the sum of mu^2",
            filter.muSquaredPicos,
            spent.allMuSquared(),
            cost.allMuSquared(),
            12);
    return byMu.isAdmitted()
        ? judge(
            limit + "the distance of Gaussian noise on grids from its law",
            filter.variationAttos,
            spent.variationAttos,
            cost.variationAttos,
            18)
        : byMu;
  }

  private static Judgement judge(String sum, long most, long spent, long cost, int decimals) {
    return DecimalUnits.add(spent, cost) <= most
        ? Judgement.ADMITTED
        : new Judgement(
            Outcome.REFUSED_BUDGET,
            sum
                + " must be at most "
                + DecimalUnits.text(most, decimals)
                + Budget.spending(spent, cost, decimals));
  }

  /** Returns the bound in units of 1e-9, rounded up; an infinite bound is saturated. */
  long nanos(Totals totals) {
    if (totals.rhoPicos == 0) {
      return 0;
    }
    double variation = totals.variation();
    double least = Math.min(gaussian(totals.muOfAll(), variation), renyi(totals));
    if (!totals.isPure() && totals.epsilonNanos > 0) {
      least = Math.min(least, totals.epsilon() + gaussian(totals.mu(), variation));
    }
    long nanos = (long) Math.ceil(least * 1e9 * (1 + SLACK));
    return totals.isPure() ? Math.min(nanos, totals.epsilonNanos) : nanos;
  }

  /** Returns how much the limit exceeds {@code nanos}, in units of 1e-9; 0 without a limit. */
  long leftNanos(long nanos) {
    return Math.max(0, epsilonNanos - nanos);
  }

  private double gaussian(double mu, double variation) {
    return DiscreteGaussian.epsilon(mu, variation, logDelta);
  }

  private double renyi(Totals totals) {
    double rho = totals.rho();
    if (rho == Double.POSITIVE_INFINITY) {
      return rho;
    }
    double bound = converted(totals, ZeroConcentratedDp.order(rho, logDelta));
    return limited ? Math.min(bound, converted(totals, order)) : bound;
  }

  private double converted(Totals totals, double a) {
    return RenyiDp.epsilon(a, DecimalUnits.toDouble(totals.renyiPicos(a), 12), logDelta);
  }
}
