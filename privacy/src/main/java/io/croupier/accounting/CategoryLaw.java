package io.croupier.accounting;

/**
 * How often a group released by hashed response contains a category: with probability p if it is
 * the sender's, and with probability q if it is another.
 *
 * <p>With N groups, p = 1 / (1 + (N - 1) exp(-epsilon)). If a seed assigns the categories to
 * groups, another category is in the released group with probability q = 1 / N; otherwise it is
 * that group with probability q = p exp(-epsilon).
 *
 * @param hit p
 * @param chance q, below p
 */
public record CategoryLaw(double hit, double chance) {

  /**
   * The law of one report.
   *
   * @param epsilon in nats, positive
   * @param groups N, at least 2
   * @param isHashed whether a seed assigns the categories to groups
   */
  public static CategoryLaw of(double epsilon, int groups, boolean isHashed) {
    double odds = StrictMath.exp(-epsilon);
    double hit = 1 / (1 + (groups - 1) * odds);
    return new CategoryLaw(hit, isHashed ? 1.0 / groups : hit * odds);
  }

  /** p - q: the change of the mean from a sender of another category to one of this category. */
  public double strength() {
    return hit - chance;
  }

  /**
   * The variance of whether the released group contains a category, if a fraction f of all senders
   * has it: (q + f (p - q)) (1 - q - f (p - q)), of which f (1 - f) (p - q)^2 is that of the
   * sample. Divided by n (p - q)^2, it is that of the estimated fraction.
   */
  public double variance(double fraction) {
    double mean = chance + fraction * strength();
    return mean * (1 - mean);
  }
}
