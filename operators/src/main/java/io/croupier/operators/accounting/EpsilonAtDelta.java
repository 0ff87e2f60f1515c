package io.croupier.operators.accounting;

import io.croupier.accounting.DiscreteGaussian;
import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.RenyiDp;
import io.croupier.accounting.RenyiFilter;
import io.croupier.accounting.ZeroConcentratedDp;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Limits;
import java.math.BigDecimal;

/**
 * Epsilon at a delta: a filter that decides what still fits, and a bound that is told.
 *
 * <p><b>The filter</b> is sound for reports that are chosen by whoever has seen the ones before. A
 * report fits if afterwards
 *
 * <ol type="A">
 *   <li>all is pure, and the pure epsilons add up to at most epsilon, or
 *   <li>the account's own filter holds: if its first report was Gaussian, the sum of mu^2, pure
 *       ones by their tight mu, is at most M^2, and the distances of discrete noise from the
 *       Gaussian law add up to at most r M^2 ({@link DiscreteGaussian}); r is what the first
 *       report's model has of distance for each unit of mu^2, and room for 2 % more, or what costs
 *       a hundredth of delta, and M the largest mu with which both keep epsilon at delta [KTH23],
 *       as long as that admits more of Gaussian noise alone than the next filter does; else the
 *       Renyi divergences add up to at most the budget of the {@link RenyiFilter}, whose order
 *       epsilon and delta alone determine [FZ21].
 * </ol>
 *
 * <p>Proof: the kind of the first report, and its model, are chosen before anything was seen of the
 * account, so they pick one filter, not the better of two. Discrete noise has no distance in its
 * Renyi divergence. In the other filter every report is within its distance of one that is mu-GDP,
 * whatever was seen before it, so all are within the sum of those that the filter admits. Call X
 * the transcripts that end in A. On X the ratio of densities between two people is at most
 * e^epsilon, so P(S and X) &lt;= e^epsilon Q(S and X). Any other transcript was admitted to its end
 * by B, and since B's sums never fall, at every step: a curator with B alone produces it with the
 * same probability, so P(S without X) &lt;= e^epsilon Q(S without X) + delta. The sum of both is
 * the claim: A costs no delta.
 *
 * <p>The claim is for limits that were chosen without a look at what was released: epsilon and
 * delta fix mu and the order, so whoever changes them in the light of outputs chooses the filter
 * with them.
 *
 * <p><b>The bound</b> is the least of: the pure sum and the epsilon of the Gaussian rest; the
 * epsilon of all mu, both with the distance of discrete noise; the conversion of the Renyi
 * divergence, at the order kept and, from rho, at the order that is best for it. Each is sound
 * alone, for reports not chosen by what was seen before, so that it can be below what the filter
 * has come to. What rests on a saturated sum is infinite.
 *
 * <p>Telling the bound takes up to two solutions of {@link GaussianDp#epsilon}, under 2
 * microseconds, for every event and set of totals, also where nothing was charged: to remember it
 * would add to every account.
 */
final class EpsilonAtDelta {
  /** More than any evaluation here errs by, relatively. */
  private static final double SLACK = 0x1p-40;

  /** Of delta, for the distance of discrete noise: at least this share is kept. */
  private static final double SHARE = 0.01;

  /** Distances are rounded up for each report; they may be a little more than their rate says. */
  private static final double ROOM = 1.02;

  private final double delta;
  private final double logDelta;
  private final boolean limited;
  private final double epsilon;
  private final long epsilonNanos;
  private final double order;
  private final long renyiPicos;

  /** The filter of the rate that was asked for last: nearly always the same. */
  private GaussianFilter last;

  /**
   * What the sums may be where Gaussian noise came first.
   *
   * @param admitsMore whether of Gaussian noise more than the filter of Renyi divergences does
   */
  private record GaussianFilter(
      double rate, long muSquaredPicos, long variationAttos, boolean admitsMore) {}

  /** Limits with a delta. */
  EpsilonAtDelta(Limits limits) {
    delta = limits.getDelta();
    logDelta = Math.nextDown(StrictMath.log(delta));
    limited = limits.hasEpsilon();
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

  /** In units of 1e-12, never saturated. */
  private static long down(double number) {
    return down(number, 1e12);
  }

  private static long down(double number, double units) {
    return (long) Math.min(number * units * (1 - SLACK), 0x1p62);
  }

  /** Takes some 30 microseconds for a rate that is not the last one's. */
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

  /** The order whose divergences must be kept; 0 if none. */
  double order() {
    return order;
  }

  /** Judges what a report would cost over what was spent before it. */
  Judgement judge(String name, Totals spent, Totals cost) {
    boolean pure = spent.isPure() && cost.isPure();
    if (!limited
        || (pure && DecimalUnits.add(spent.epsilonNanos, cost.epsilonNanos) <= epsilonNanos)) {
      return Judgement.ADMITTED;
    }
    String limit = name + "epsilon is " + epsilon + " at " + name + "delta " + delta + ", so ";
    GaussianFilter filter = spent.gaussianDecides(cost) ? filter(spent.rate(cost)) : null;
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

  /** The bound in units of 1e-9, rounded up; saturated, it is infinite. */
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

  /** What the limit leaves above so much, in units of 1e-9; 0 without a limit. */
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
