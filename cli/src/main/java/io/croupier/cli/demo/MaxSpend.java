package io.croupier.cli.demo;

import io.croupier.accounting.GaussianDp;
import io.croupier.schemas.Spend;

/**
 * The most that one person spent. Undisclosed reports are counted, and never make a number: what
 * they cost is known to their senders alone.
 *
 * @param epsilon largest sum of declared epsilons
 * @param mu largest root of the sum of mu^2 of Gaussian noise, which is that of raw reports
 * @param undisclosed most undisclosed reports; they may be another person's
 */
record MaxSpend(double epsilon, double mu, long undisclosed) {

  static final MaxSpend NOTHING = new MaxSpend(0, 0, 0);

  /** What the ledger's totals say. */
  static MaxSpend of(Spend totals) {
    return new MaxSpend(totals.getEpsilon(), totals.getMu(), totals.getUndisclosed());
  }

  /** The larger of each. */
  MaxSpend max(MaxSpend other) {
    return new MaxSpend(
        Math.max(epsilon, other.epsilon),
        Math.max(mu, other.mu),
        Math.max(undisclosed, other.undisclosed));
  }

  /** What the Gaussian noise leaves, as epsilon at a delta, exactly. */
  double epsilonAt(double delta) {
    return GaussianDp.epsilon(mu, StrictMath.log(delta));
  }

  /** Such as 8, or {@code unsaid}, or 8 or {@code unsaid}. */
  String inWords(String unsaid) {
    if (undisclosed == 0) {
      return NumberFormats.plain(epsilon);
    }
    return epsilon == 0 ? unsaid : NumberFormats.plain(epsilon) + " or " + unsaid;
  }
}
