package io.croupier.cli.demo;

import io.croupier.accounting.GaussianDp;
import io.croupier.schemas.Spend;

/**
 * The most that one person spent. Undisclosed reports are counted, but have no epsilon, since only
 * their senders know their cost.
 *
 * @param epsilon largest sum of declared epsilons
 * @param mu largest sqrt(sum of mu^2) of Gaussian noise, of raw reports and of Gaussian noised ones
 * @param undisclosed largest number of undisclosed reports; the person may be another one
 */
record MaxSpend(double epsilon, double mu, long undisclosed) {

  static final MaxSpend NOTHING = new MaxSpend(0, 0, 0);

  /** The spend in the ledger's totals. */
  static MaxSpend of(Spend totals) {
    return new MaxSpend(totals.getEpsilon(), totals.getMu(), totals.getUndisclosed());
  }

  /** The maximum of each field. */
  MaxSpend max(MaxSpend other) {
    return new MaxSpend(
        Math.max(epsilon, other.epsilon),
        Math.max(mu, other.mu),
        Math.max(undisclosed, other.undisclosed));
  }

  /** The exact epsilon of the Gaussian reports at a delta. */
  double epsilonAt(double delta) {
    return GaussianDp.epsilon(mu, StrictMath.log(delta));
  }

  /**
   * For example {@code 8}, {@code unsaid}, or {@code 8 or unsaid}. Of Gaussian noise, with its
   * delta.
   */
  String inWords(String unsaid, DemoParameters parameters) {
    boolean nothing = parameters.mechanism().isPure() ? epsilon == 0 : mu == 0;
    String declared =
        parameters.mechanism().isPure()
            ? NumberFormats.plain(epsilon)
            : NumberFormats.rounded(epsilonAt(parameters.delta()))
                + " at delta "
                + parameters.deltaInWords();
    if (undisclosed == 0) {
      return declared;
    }
    return nothing ? unsaid : declared + " or " + unsaid;
  }
}
