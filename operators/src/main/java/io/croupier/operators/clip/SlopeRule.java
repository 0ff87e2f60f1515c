package io.croupier.operators.clip;

/**
 * The share s of the slope bound that a round announces, for logistic losses: gradients at the
 * initial weights have half of the steepest slope, so half of the bound suffices, and half of the
 * noise, until the weights have moved.
 *
 * <pre>
 *   s = max(1/2, 1 - 10 sqrt(a / t));  1/2 while t = 0
 * </pre>
 *
 * <p>t is the number of the learner's steps, a the mean squared norm of their gradients in units of
 * the clip. If noise dominates, sqrt(a / t) is the standard error of the mean gradient; the share
 * leaves 1/2 when that falls below 1/20, and tends to 1. Rounds of single trimmed reports have a
 * &lt;= 4, so it leaves 1/2 after at most 1,600 such steps. The squared norms of weighted rounds
 * count by the squares of their weights. Equal on all platforms.
 */
public final class SlopeRule {
  private static final double LEAST = 0.5;
  private static final double NOISE = 10;

  private SlopeRule() {}

  /**
   * Returns s, from 1/2 to 1.
   *
   * @param meanSquaredNorm a, at least 0
   * @param rounds t, at least 0
   * @throws IllegalArgumentException if one of them isn't
   */
  public static double share(double meanSquaredNorm, long rounds) {
    if (!(meanSquaredNorm >= 0) || rounds < 0) {
      throw new IllegalArgumentException(
          "the mean squared norm is %s, the number of rounds %d; both must be at least 0"
              .formatted(meanSquaredNorm, rounds));
    }
    return rounds == 0 ? LEAST : Math.max(LEAST, 1 - NOISE * Math.sqrt(meanSquaredNorm / rounds));
  }
}
