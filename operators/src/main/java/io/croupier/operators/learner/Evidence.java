package io.croupier.operators.learner;

import java.util.Arrays;

/**
 * The evidence that a direction z lowers the loss: the logarithm of the wealth F of a mixture of
 * constant bets v_k on z. A round of weight 2^j counts as 2^j times its coin, so bet k places the
 * fraction v_(k-j) on it, but never more than v_0:
 *
 * <pre>
 *   L_j -= coin;  V_j += coin^2,  for rounds of weight 2^j;  i = max(k - j, 0)
 *   F = sum_k p_k exp(sum_j (v_i L_j - c_i v_i^2 V_j))
 *   delta_k = 0.28 2^-k;  v_k = delta_k / B;  c_k = 1/2 + delta_k + 2.8 delta_k^2
 *   p_k = 3 / ((k + 3)(k + 4))
 * </pre>
 *
 * <p>Coins are in units of the gradient bound. Reports are trimmed, so |coin| &lt;= 2 B and x =
 * -v_k coin has |x| &lt;= 2 delta_k &lt; 1. There exp(x - c_k x^2) &lt;= 1 + x, because ln(1 + x)
 * &gt;= x - (1/2 + b/3 + b^2/4 + ...) x^2 for |x| &lt;= b. So each summand, divided by its drift,
 * is a supermartingale whatever the noise, and whatever the weights if each depends only on earlier
 * rounds and on its round's number of reports.
 *
 * <p>Accuracy: that of compensated sums, see {@link RunningSum}, and of sums of at most 2 * {@value
 * RoundWeights#WEIGHTS} products; never NaN.
 */
final class Evidence {
  /** Number of bets. */
  static final int LEVELS = 32;

  /** The largest fraction times B. With 2.8 delta^2 in c_k, the inequality holds up to 0.28. */
  private static final double LARGEST_FRACTION = 0.28;

  /**
   * Bound that keeps products with the betting fractions finite; at such sums F is 0 or saturated.
   */
  private static final double LARGEST_SUM = 1e300;

  private static final double[] FRACTION = new double[LEVELS];
  private static final double[] CURVATURE = new double[LEVELS];
  private static final double[] LOG_WEIGHT = new double[LEVELS];

  static {
    for (int k = 0; k < LEVELS; k++) {
      double delta = Math.scalb(LARGEST_FRACTION, -k);
      FRACTION[k] = delta / AdaptiveRadius.BALL;
      CURVATURE[k] = (0.5 + delta + 2.8 * delta * delta) * FRACTION[k] * FRACTION[k];
      LOG_WEIGHT[k] = StrictMath.log(3.0 / ((k + 3) * (k + 4)));
    }
  }

  /** L_j at index j. */
  private final RunningSum[] coins = sums();

  /** V_j at index j. */
  private final RunningSum[] squaredCoins = sums();

  private final double[] exponents = new double[LEVELS];

  private static RunningSum[] sums() {
    RunningSum[] sums = new RunningSum[RoundWeights.WEIGHTS];
    Arrays.setAll(sums, j -> new RunningSum());
    return sums;
  }

  /** Observes the coin of a round of weight 2^{@code exponent}. */
  void observe(double coin, int exponent) {
    coins[exponent].add(-coin);
    squaredCoins[exponent].add(Math.min(coin * coin, Double.MAX_VALUE));
  }

  /** Returns ln F, with its largest term factored out. */
  double log() {
    System.arraycopy(LOG_WEIGHT, 0, exponents, 0, LEVELS);
    for (int j = 0; j < RoundWeights.WEIGHTS; j++) {
      double squares = squaredCoins[j].value();
      if (squares > 0) {
        addBets(j, coins[j].value(), squares);
      }
    }
    double largest = Double.NEGATIVE_INFINITY;
    for (double exponent : exponents) {
      largest = Math.max(largest, exponent);
    }
    double sum = 0;
    for (double exponent : exponents) {
      sum += StrictMath.exp(exponent - largest);
    }
    return largest + StrictMath.log(sum);
  }

  private void addBets(int weightExponent, double coins, double squares) {
    double sum = Math.copySign(Math.min(Math.abs(coins), LARGEST_SUM), coins);
    double squareSum = Math.min(squares, LARGEST_SUM);
    for (int k = 0; k < LEVELS; k++) {
      int i = Math.max(k - weightExponent, 0);
      exponents[k] += FRACTION[i] * sum - CURVATURE[i] * squareSum;
    }
  }

  void visit(LearnerState.Visitor visitor) {
    visit(visitor, "trimmed-coins", "trimmed-squared-coins");
  }

  /** Restores the sums of coins in units of 1, of reports that were not trimmed. */
  void restoreUntrimmed(LearnerState.Visitor reader, double gradientBound) {
    visit(reader, "coins", "squared-coins");
    for (int j = 0; j < RoundWeights.WEIGHTS; j++) {
      coins[j].divide(gradientBound);
      squaredCoins[j].divide(gradientBound);
      squaredCoins[j].divide(gradientBound);
    }
  }

  /** Sums of weight 1 have the names without a number. */
  private void visit(LearnerState.Visitor visitor, String ofCoins, String ofSquares) {
    for (int j = 0; j < RoundWeights.WEIGHTS; j++) {
      String suffix = j == 0 ? "" : "-" + j;
      coins[j].visit(visitor, ofCoins + suffix);
      squaredCoins[j].visit(visitor, ofSquares + suffix);
    }
  }
}
