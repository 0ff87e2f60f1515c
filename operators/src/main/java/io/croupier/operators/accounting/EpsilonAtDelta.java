package io.croupier.operators.accounting;

import io.croupier.accounting.GaussianDp;
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
 *       else the Renyi divergences of one order, which epsilon and delta alone determine, add up to
 *       at most what [CKS20, Prop. 12] turns into epsilon at delta [FZ21].
 * </ol>
 *
 * <p>Proof: the kind of the first report is chosen before anything was seen of the account, so it
 * picks one filter, not the better of two. Call X the transcripts that end in A. On X the ratio of
 * densities between two people is at most e^epsilon, so P(S and X) &lt;= e^epsilon Q(S and X). Any
 * other transcript was admitted to its end by B, and since B's sums never fall, at every step: a
 * curator with B alone produces it with the same probability, so P(S without X) &lt;= e^epsilon Q(S
 * without X) + delta. The sum of both is the claim: A costs no delta.
 *
 * <p><b>The bound</b> is the least of: the pure sum and the exact epsilon of the Gaussian rest; the
 * exact epsilon of all mu, where the first report was Gaussian; the conversion of the Renyi
 * divergence, at the order kept and, from rho, at the order that is best for it. It is for reports
 * not chosen by what was seen before, and can be below what the filter has come to.
 */
final class EpsilonAtDelta {
  /** The orders that a filter may have: those that golden values and audits are computed at. */
  private static final double[] ORDERS = {
    1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56,
    64, 80, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096, 16384, 65536
  };

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
    logDelta = Math.nextDown(Math.log(delta));
    limited = limits.hasEpsilon();
    epsilon = limits.getEpsilon();
    double best = 0;
    double bestOrder = 0;
    if (limited) {
      for (double candidate : ORDERS) {
        double rho = divergence(candidate) / candidate;
        if (rho > best) {
          best = rho;
          bestOrder = candidate;
        }
      }
    }
    order = bestOrder;
    renyiPicos = order > 0 ? (long) (divergence(order) * 1e12) : 0;
    epsilonNanos = limited ? DecimalUnits.roundDown(BigDecimal.valueOf(epsilon), 9) : 0;
    double mu = limited ? GaussianDp.mu(epsilon, logDelta) : 0;
    muSquaredPicos = (long) Math.min(mu * mu * 1e12 * (1 - SLACK), 0x1p62);
  }

  /** The divergence that makes epsilon at delta; not rounded up, maybe negative. */
  private double divergence(double candidate) {
    double toEpsilon = toEpsilon(candidate);
    return Math.min(epsilon - toEpsilon - SLACK * (epsilon + Math.abs(toEpsilon)), 0x1p62 / 1e12);
  }

  /** What epsilon at delta is above a Renyi divergence of that order, by [CKS20, Prop. 12]. */
  private double toEpsilon(double a) {
    return Math.log1p(-1 / a) - (logDelta + Math.log(a)) / (a - 1);
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
    if (order == 0) {
      return new Judgement(
          Outcome.REFUSED_BUDGET,
          limit
              + "the sum of pure epsilons must be at most "
              + DecimalUnits.text(epsilonNanos, 9)
              + Budget.spending(spent.epsilonNanos, cost.epsilonNanos, 9));
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

  /** The bound in units of 1e-9, rounded up. */
  long nanos(Totals totals) {
    double least = renyiBound(totals);
    if (!totals.isPure()) {
      least = Math.min(least, totals.epsilon() + gaussian(totals.mu()));
      if (totals.gaussianFirst && totals.epsilonNanos > 0) {
        least = Math.min(least, gaussian(totals.muOfAll()));
      }
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

  private double renyiBound(Totals totals) {
    double best = 1 + Math.sqrt(-logDelta / totals.rho());
    best = 1 + Math.sqrt(Math.max(-logDelta - Math.log(best), 1) / totals.rho());
    best = Math.min(Math.max(best, 1.5), 1e9);
    double bound = converted(totals, best);
    return order > 0 ? Math.min(bound, converted(totals, order)) : bound;
  }

  private double converted(Totals totals, double a) {
    double divergence = DecimalUnits.toDouble(totals.renyiPicos(a), 12);
    double toEpsilon = toEpsilon(a);
    return Math.max(0, divergence + toEpsilon + SLACK * (divergence + Math.abs(toEpsilon)));
  }
}
