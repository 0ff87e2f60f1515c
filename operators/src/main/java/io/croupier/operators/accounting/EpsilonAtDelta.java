package io.croupier.operators.accounting;

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
 *       ones by their tight mu, is at most the square of the mu that has epsilon at delta [KTH23];
 *       else the Renyi divergences add up to at most the budget of the {@link RenyiFilter}, whose
 *       order epsilon and delta alone determine [FZ21].
 * </ol>
 *
 * <p>Proof: the kind of the first report is chosen before anything was seen of the account, so it
 * picks one filter, not the better of two. Call X the transcripts that end in A. On X the ratio of
 * densities between two people is at most e^epsilon, so P(S and X) &lt;= e^epsilon Q(S and X). Any
 * other transcript was admitted to its end by B, and since B's sums never fall, at every step: a
 * curator with B alone produces it with the same probability, so P(S without X) &lt;= e^epsilon Q(S
 * without X) + delta. The sum of both is the claim: A costs no delta.
 *
 * <p>The claim is for limits that were chosen without a look at what was released: epsilon and
 * delta fix mu and the order, so whoever changes them in the light of outputs chooses the filter
 * with them.
 *
 * <p><b>The bound</b> is the least of: the pure sum and the exact epsilon of the Gaussian rest; the
 * exact epsilon of all mu; the conversion of the Renyi divergence, at the order kept and, from rho,
 * at the order that is best for it. Each is sound alone, for reports not chosen by what was seen
 * before, so that it can be below what the filter has come to. What rests on a saturated sum is
 * infinite.
 *
 * <p>Telling the bound takes up to two solutions of {@link GaussianDp#epsilon}, under 2
 * microseconds, for every event and set of totals, also where nothing was charged: to remember it
 * would add to every account.
 */
final class EpsilonAtDelta {
  /** More than any evaluation here errs by, relatively. */
  private static final double SLACK = 0x1p-40;

  private final double delta;
  private final double logDelta;
  private final boolean limited;
  private final double epsilon;
  private final long epsilonNanos;
  private final long muSquaredPicos;
  private final double order;
  private final long renyiPicos;

  /** Limits with a delta. */
  EpsilonAtDelta(Limits limits) {
    delta = limits.getDelta();
    logDelta = Math.nextDown(StrictMath.log(delta));
    limited = limits.hasEpsilon();
    epsilon = limits.getEpsilon();
    if (limited) {
      RenyiFilter filter = RenyiFilter.of(epsilon, logDelta);
      double mu = GaussianDp.mu(epsilon, logDelta);
      epsilonNanos = DecimalUnits.roundDown(BigDecimal.valueOf(epsilon), 9);
      muSquaredPicos = down(mu * mu);
      order = filter.order();
      renyiPicos = down(filter.budget());
    } else {
      epsilonNanos = 0;
      muSquaredPicos = 0;
      order = 0;
      renyiPicos = 0;
    }
  }

  /** In units of 1e-12, never saturated. */
  private static long down(double number) {
    return (long) Math.min(number * 1e12 * (1 - SLACK), 0x1p62);
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
    if (spent.gaussianDecides(cost)) {
      return judge(
          limit + "the sum of mu^2", muSquaredPicos, spent.allMuSquared(), cost.allMuSquared());
    }
    return judge(
        limit + "the sum of Renyi divergences of order " + order,
        renyiPicos,
        spent.renyiPicos(order),
        cost.renyiPicos(order));
  }

  private static Judgement judge(String sum, long most, long spent, long cost) {
    return DecimalUnits.add(spent, cost) <= most
        ? Judgement.ADMITTED
        : new Judgement(
            Outcome.REFUSED_BUDGET,
            sum
                + " must be at most "
                + DecimalUnits.text(most, 12)
                + Budget.spending(spent, cost, 12));
  }

  /** The bound in units of 1e-9, rounded up; saturated, it is infinite. */
  long nanos(Totals totals) {
    if (totals.rhoPicos == 0) {
      return 0;
    }
    double least = Math.min(gaussian(totals.muOfAll()), renyi(totals));
    if (!totals.isPure() && totals.epsilonNanos > 0) {
      least = Math.min(least, totals.epsilon() + gaussian(totals.mu()));
    }
    long nanos = (long) Math.ceil(least * 1e9 * (1 + SLACK));
    return totals.isPure() ? Math.min(nanos, totals.epsilonNanos) : nanos;
  }

  /** What the limit leaves above so much, in units of 1e-9; 0 without a limit. */
  long leftNanos(long nanos) {
    return Math.max(0, epsilonNanos - nanos);
  }

  private double gaussian(double mu) {
    return GaussianDp.epsilon(mu, logDelta);
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
