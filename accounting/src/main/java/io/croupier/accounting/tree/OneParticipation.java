package io.croupier.accounting.tree;

/**
 * The squared sensitivity of a tree to which each user contributes once ([KMSTTX21, Theorem 4.1]):
 * the largest number of nodes above one leaf. These are closed forms of the results of {@link
 * Schedule}.
 */
public final class OneParticipation {
  private OneParticipation() {}

  /**
   * floor(lg n) + 1, which the paper writes as ceil(lg(n+1)).
   *
   * @param steps n, from 1 to {@link Schedule#MAX_STEPS}
   */
  public static long zeta(long steps) {
    return 64L - Long.numberOfLeadingZeros(Schedule.checkedSteps(steps));
  }

  /** ceil(lg n) + 1: the tree was completed by virtual steps to the next power of two. */
  public static long zetaOfCompleted(long steps) {
    return 65L - Long.numberOfLeadingZeros(Schedule.checkedSteps(steps) - 1);
  }

  /**
   * The two trees of least squares ([KMSTTX21, C.2]): one of the vectors y x of norm at most L, one
   * of the matrices x x^T of Frobenius norm at most L^2, the noise of each sigma times that norm.
   * Twice the zeta of one tree; the paper's Theorem C.3 is one level short at powers of two. Limits
   * on x and y must be enforced by clipping.
   */
  public static long zetaOfLeastSquares(long steps) {
    return 2 * zeta(steps);
  }
}
