package io.croupier.operators.learner;

import java.util.Arrays;

/**
 * The coins of one round, by the publication that their reports name, and what a side of a bettor
 * must make of them. A side is a sign s of the betting fractions; an expert of that side bets the
 * fraction s v. With c_j the coin of part j, a_j the coins that its publication didn't know, b_j
 * the variance that it didn't know, pi_j its share of the round's weight, all with the signs of the
 * side, and rho the largest fraction times the bound h on coins:
 *
 * <pre>
 *   v_i = i rho / (8 h), i = 0 .. 8;  e_j(v) = (exp(-v a_j + v^2 b_j) - 1) / v,  e_j(0) = -a_j
 *   if no c_j &lt; 0:  penalty = max(0, sum of c_j a_j)
 *   else:  penalty = 2 max over i &lt; 8 of (sum over c_j &lt; 0 of |c_j| e_j(v_(i+1)) - sum over c_j &gt; 0 of c_j e_j(v_i))+
 *          r = sum of pi_j max(1, exp(-v_8 a_j + v_8^2 b_j));  L = (-sum of c_j)+;  Y = (L + sqrt(L^2 + penalty)) / 2
 *          h is the least 1.02^i h with r &lt;= 2 and h &gt;= min(Y, cap r)
 * </pre>
 *
 * <p>Then exp(X - X^2 - v^2 penalty) &lt;= 1 + sum of v c_j exp(-v a_j + v^2 b_j), X = v sum of
 * c_j, holds for every fraction v up to rho / h where h &gt;= Y: the bets of late reports, placed
 * at other wealths than the present one, cost no more than the penalty. If all reports are timely,
 * a_j = b_j = 0, the penalty is 0, and h is the hint of the {@link BettingRule}, which is enough.
 *
 * <p>Source: our own, lab/proofs/rounds.md, lemma 2. O(8 parts) for each h that is tried; allocates
 * nothing once the arrays are long enough.
 */
final class RoundCoins {
  private static final int INTERVALS = 8;
  private static final double STEP = 1.02;
  private static final double LARGEST_RATIO = 2;
  private static final double LARGEST_EXPONENT = 60;

  private int size;
  private double[] coins = new double[2];
  private double[] absorbed = new double[2];
  private double[] upper = new double[2];
  private double[] lower = new double[2];
  private double[] shares = new double[2];
  private double total;
  private boolean isTimely = true;
  private double penalty;

  /** Removes all coins. */
  void clear() {
    size = 0;
    total = 0;
    isTimely = true;
  }

  /**
   * Adds the coin of a part.
   *
   * @param coin c_j
   * @param unknownCoins a_j
   * @param unknownUpper b_j of the positive side
   * @param unknownLower b_j of the negative side
   * @param share pi_j
   */
  void add(
      double coin, double unknownCoins, double unknownUpper, double unknownLower, double share) {
    if (size == coins.length) {
      coins = Arrays.copyOf(coins, 2 * size);
      absorbed = Arrays.copyOf(absorbed, 2 * size);
      upper = Arrays.copyOf(upper, 2 * size);
      lower = Arrays.copyOf(lower, 2 * size);
      shares = Arrays.copyOf(shares, 2 * size);
    }
    coins[size] = coin;
    absorbed[size] = unknownCoins;
    upper[size] = unknownUpper;
    lower[size] = unknownLower;
    shares[size] = share;
    isTimely &= unknownCoins == 0 && unknownUpper == 0 && unknownLower == 0;
    total += coin;
    size++;
  }

  /** Returns whether there is no coin. */
  boolean isEmpty() {
    return size == 0;
  }

  /** Returns the coin of the round, the sum of the c_j. */
  double total() {
    return total;
  }

  /** Returns the sum of pi_j |a_j| over the parts whose bets lose: c_j a_j &gt; 0. */
  double outstanding() {
    double sum = 0;
    for (int j = 0; j < size; j++) {
      if (coins[j] * absorbed[j] > 0) {
        sum += shares[j] * Math.abs(absorbed[j]);
      }
    }
    return sum;
  }

  /**
   * Returns h of a side after the round, and computes its {@link #penalty}.
   *
   * @param side 1 or -1
   * @param least h before, and at least the hint of the round
   * @param cap the largest h that noise alone can require, positive
   * @param rho the largest fraction times h
   */
  double bound(int side, double least, double cap, double rho) {
    penalty = 0;
    if (isTimely) {
      return least;
    }
    double[] variances = side > 0 ? upper : lower;
    if (loses(side)) {
      return raised(side, variances, least, cap, rho);
    }
    double sum = 0;
    for (int j = 0; j < size; j++) {
      sum += coins[j] * absorbed[j];
    }
    penalty = Math.max(0, sum);
    return least;
  }

  /** Returns the penalty of the side that {@link #bound} was called for last. */
  double penalty() {
    return penalty;
  }

  private boolean loses(int side) {
    for (int j = 0; j < size; j++) {
      if (side * coins[j] < 0) {
        return true;
      }
    }
    return false;
  }

  private double raised(int side, double[] variances, double least, double cap, double rho) {
    double loss = Math.max(0, -side * total);
    for (double h = least; ; h *= STEP) {
      double largest = 0;
      for (int i = 0; i < INTERVALS; i++) {
        largest = Math.max(largest, deficit(side, variances, i * rho / (INTERVALS * h), h, i, rho));
      }
      penalty = 2 * largest;
      double ratio = 0;
      double v = rho / h;
      for (int j = 0; j < size; j++) {
        ratio += shares[j] * Math.max(1, StrictMath.exp(exponent(side, variances, j, v)));
      }
      double required = (loss + Math.sqrt(loss * loss + penalty)) / 2;
      boolean isEnough = ratio <= LARGEST_RATIO && h >= Math.min(required, cap * ratio);
      if (isEnough || h >= Double.MAX_VALUE / STEP) {
        return h;
      }
    }
  }

  private double deficit(int side, double[] variances, double v, double h, int i, double rho) {
    double next = (i + 1) * rho / (INTERVALS * h);
    double sum = 0;
    for (int j = 0; j < size; j++) {
      double coin = side * coins[j];
      if (coin < 0) {
        sum -= coin * excess(side, variances, j, next);
      } else if (coin > 0) {
        sum -= coin * excess(side, variances, j, v);
      }
    }
    return sum;
  }

  private double excess(int side, double[] variances, int j, double v) {
    return v == 0 ? -side * absorbed[j] : StrictMath.expm1(exponent(side, variances, j, v)) / v;
  }

  private double exponent(int side, double[] variances, int j, double v) {
    return Math.min(LARGEST_EXPONENT, -v * side * absorbed[j] + v * v * variances[j]);
  }
}
