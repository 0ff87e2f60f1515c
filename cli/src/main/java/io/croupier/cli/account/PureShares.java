package io.croupier.cli.account;

import io.croupier.accounting.PureLoss;
import io.croupier.accounting.RenyiFilter;
import io.croupier.accounting.Spends;
import io.croupier.accounting.numerics.DecimalUnits;
import java.math.BigDecimal;
import java.util.function.DoubleFunction;
import java.util.function.DoublePredicate;

/**
 * The largest epsilon of each of several equal pure reports that share a guarantee of epsilon at a
 * delta. Multiples of 1e-9, rounded down by less than a millionth; 0 if even 1e-9 is too much.
 *
 * @param composed where the number and the levels of the reports are fixed in advance
 * @param underMu where a limit on mu admits the reports
 * @param underFilter where a limit on epsilon and delta admits the reports
 */
record PureShares(double composed, double underMu, double underFilter) {
  /** In units of 1e-9. */
  private static final long MOST = 1_000_000_000_000_000L;

  private static final long MILLION = 1_000_000;

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
    double underMu = largest(0, level -> loss.apply(level).mu() <= mu);
    double underFilter =
        largest(0, level -> loss.apply(level).renyi(filter.order()) * reports <= filter.budget());
    double least = Math.max(share, Math.max(underMu, underFilter));
    double composed =
        largest(
            least,
            level -> {
              Spends spends = new Spends();
              spends.addPure(loss.apply(level), reports);
              return spends.least(logDelta).epsilon() <= epsilon;
            });
    return new PureShares(Math.max(least, composed), underMu, Math.max(share, underFilter));
  }

  /**
   * The largest level that fits.
   *
   * @param least a level that fits, or 0
   */
  private static double largest(double least, DoublePredicate fits) {
    long low = DecimalUnits.roundDown(BigDecimal.valueOf(least), 9);
    long high = Math.max(1, 2 * low);
    while (high < MOST && fits.test(level(high))) {
      low = high;
      high *= 2;
    }
    while (high - low > Math.max(1, low / MILLION)) {
      long middle = (low + high) >>> 1;
      if (fits.test(level(middle))) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return level(low);
  }

  private static double level(long nanos) {
    return BigDecimal.valueOf(nanos, 9).doubleValue();
  }
}
