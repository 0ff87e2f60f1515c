package io.croupier.cli.account;

import io.croupier.accounting.PureLoss;
import io.croupier.accounting.RenyiFilter;
import io.croupier.accounting.Spends;
import java.math.BigDecimal;
import java.util.function.DoubleFunction;
import java.util.function.DoublePredicate;

/**
 * The largest epsilon of each of several equal pure reports that share a guarantee of epsilon at a
 * delta. Multiples of 1e-9, rounded down; 0 if even 1e-9 is too much.
 *
 * @param composed where the number and the levels of the reports are fixed in advance
 * @param underMu where a limit on mu admits the reports
 * @param underFilter where a limit on epsilon and delta admits the reports
 */
record PureShares(double composed, double underMu, double underFilter) {
  /** In units of 1e-9. */
  private static final long MOST = 1_000_000_000_000_000L;

  /**
   * Computes the shares.
   *
   * @param reports number of reports, at least 1
   * @param share of one report in the sum of pure epsilons, which every guarantee but a limit of mu
   *     accepts
   * @param mu share of one report in the total mu
   * @param loss of a report of an epsilon
   */
  static PureShares of(
      double epsilon,
      double logDelta,
      long reports,
      double share,
      double mu,
      DoubleFunction<PureLoss> loss) {
    RenyiFilter filter = RenyiFilter.of(epsilon, logDelta);
    double underMu = largest(level -> loss.apply(level).mu() <= mu);
    double underFilter =
        largest(level -> loss.apply(level).renyi(filter.order()) * reports <= filter.budget());
    double composed =
        largest(
            level -> {
              Spends spends = new Spends();
              spends.addPure(loss.apply(level), reports);
              return spends.least(logDelta).epsilon() <= epsilon;
            });
    return new PureShares(
        Math.max(share, Math.max(composed, Math.max(underMu, underFilter))),
        underMu,
        Math.max(share, underFilter));
  }

  private static double largest(DoublePredicate fits) {
    long low = 0;
    long high = MOST;
    while (high - low > 1) {
      long middle = (low + high) >>> 1;
      if (fits.test(BigDecimal.valueOf(middle, 9).doubleValue())) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return BigDecimal.valueOf(low, 9).doubleValue();
  }
}
