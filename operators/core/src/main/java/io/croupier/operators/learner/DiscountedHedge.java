package io.croupier.operators.learner;

import java.util.Arrays;

/**
 * Discounted exponential weights: shares p of K experts that follow their losses. With l_k the loss
 * of an expert in a round, l that of the mixture, L_k and Delta discounted sums that begin at 0:
 *
 * <pre>
 *   eta = ln K / Delta;  p_k = exp(-eta L_k) / sum of exp(-eta L_i); while Delta is 0, equal shares of the least L_k
 *   gap = max(0, l + ln(sum of p_k exp(-eta l_k)) / eta)
 *   L_k &lt;- beta (L_k + l_k - l);  Delta &lt;- beta (Delta + gap)
 * </pre>
 *
 * <p>The mixture's discounted loss exceeds that of any expert by at most 2 Delta, whatever the
 * losses, and whatever shares l was incurred with (docs/theory/rounds.md, theorem 8). Nothing has a
 * unit: another unit of the losses changes no share.
 *
 * <p>Source: AdaHedge, [dR14], on losses that grow by 1 / beta from round to round. In logarithms,
 * relative to the least L_k, so that nothing overflows; a sum beyond {@value #LARGEST} saturates.
 */
final class DiscountedHedge {
  private static final double LARGEST = 1e300;

  private final double[] sums;
  private final double[] shares;
  private final double logExperts;
  private double gaps;

  /** Creates equal shares. */
  DiscountedHedge(int experts) {
    sums = new double[experts];
    shares = new double[experts];
    logExperts = StrictMath.log(experts);
    Arrays.fill(shares, 1.0 / experts);
  }

  /** Returns p, not to be changed. */
  double[] shares() {
    return shares;
  }

  /** Returns L_k: by how much the discounted losses of an expert exceed those of the mixture. */
  double excess(int expert) {
    return sums[expert];
  }

  /** Returns Delta. */
  double gaps() {
    return gaps;
  }

  /**
   * Takes the losses of a round, and sets the shares.
   *
   * @param losses l_k, finite
   * @param loss l, finite
   * @param beta positive, at most 1
   */
  void observe(double[] losses, double loss, double beta) {
    double before = mixed();
    for (int k = 0; k < sums.length; k++) {
      sums[k] = Math.max(-LARGEST, Math.min(LARGEST, sums[k] + (losses[k] - loss)));
    }
    gaps = beta * Math.min(LARGEST, gaps + Math.max(0, before - mixed()));
    for (int k = 0; k < sums.length; k++) {
      sums[k] *= beta;
    }
    share();
  }

  private double least() {
    double least = sums[0];
    for (double sum : sums) {
      least = Math.min(least, sum);
    }
    return least;
  }

  /** Returns exp(-eta (L_k - least)). */
  private double weight(int k, double least) {
    double above = sums[k] - least;
    return above > 0 ? StrictMath.exp(-above / gaps * logExperts) : 1;
  }

  /** Returns -ln(mean of exp(-eta L_k)) / eta; it grows by as much as the gap falls short of l. */
  private double mixed() {
    double least = least();
    double mean = 0;
    for (int k = 0; k < sums.length; k++) {
      mean += weight(k, least) / sums.length;
    }
    return least - gaps / logExperts * StrictMath.log(mean);
  }

  private void share() {
    double least = least();
    double total = 0;
    for (int k = 0; k < sums.length; k++) {
      shares[k] = weight(k, least);
      total += shares[k];
    }
    for (int k = 0; k < sums.length; k++) {
      shares[k] /= total;
    }
  }

  void visit(LearnerState.Visitor visitor) {
    visitor.vector("expert-losses", sums);
    gaps = visitor.scalar("mixture-gaps", gaps);
    share();
  }
}
