package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The inequality that late reports need: for every expert of a side, the wealth after a round is at
 * least what its potential promises, exp(X - X^2 - v^2 penalty) &lt;= 1 + sum of x_j exp(-v a_j +
 * v^2 b_j).
 */
class RoundCoinsTest {
  private static final double RHO = BettingRule.SquaredCoin.RHO;
  private static final double NO_CAP = Double.POSITIVE_INFINITY;
  private static final double CLEAR = 1e-3;
  private static final int DRAWS = 60_000;

  /** Random coins of few publications, what they didn't know, and h. */
  private static final class Draw {
    private final double[] coins;
    private final double[] absorbed;
    private final double[] upper;
    private final double[] lower;
    private final double least;

    Draw(SplittableRandom random) {
      int parts = 1 + random.nextInt(4);
      coins = new double[parts];
      absorbed = new double[parts];
      upper = new double[parts];
      lower = new double[parts];
      double size = Math.pow(10, random.nextDouble(-1.5, 1));
      double spread = Math.pow(10, random.nextDouble(-2, 1));
      for (int j = 0; j < parts; j++) {
        coins[j] = size * random.nextGaussian();
        boolean isLate = random.nextInt(4) > 0;
        absorbed[j] = isLate ? spread * random.nextGaussian() : 0;
        upper[j] = isLate ? spread * spread * random.nextExponential() : 0;
        lower[j] = isLate ? spread * spread * random.nextExponential() : 0;
      }
      least = Math.pow(10, random.nextDouble(-2, 1));
    }

    RoundCoins roundCoins() {
      RoundCoins round = new RoundCoins();
      for (int j = 0; j < coins.length; j++) {
        round.add(coins[j], absorbed[j], upper[j], lower[j], 1.0 / coins.length);
      }
      return round;
    }

    /** The largest violation over the experts of a side: left side minus right side. */
    double violation(int side, double h, double penalty) {
      double[] variances = side > 0 ? upper : lower;
      double worst = Double.NEGATIVE_INFINITY;
      for (int i = 1; i <= 64; i++) {
        double v = RHO / h * i / 64;
        double total = 0;
        double right = 1;
        for (int j = 0; j < coins.length; j++) {
          double x = v * side * coins[j];
          total += x;
          right += x * Math.exp(-v * side * absorbed[j] + v * v * variances[j]);
        }
        worst = Math.max(worst, Math.exp(total - total * total - v * v * penalty) - right);
      }
      return worst;
    }

    boolean loses(int side) {
      for (double coin : coins) {
        if (side * coin < 0) {
          return true;
        }
      }
      return false;
    }
  }

  /**
   * The largest violation with a multiple of the penalty and of h, or the first one above {@link
   * #CLEAR}; timely rounds take the hint of the rule, the size of the coin.
   */
  private static double largestViolation(double ofPenalty, double ofBound, int draws) {
    SplittableRandom random = new SplittableRandom(1);
    double worst = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < draws && worst <= CLEAR; i++) {
      Draw draw = new Draw(random);
      RoundCoins round = draw.roundCoins();
      for (int side : new int[] {1, -1}) {
        double least = Math.max(draw.least, Math.abs(round.total()));
        double h = round.bound(side, ofBound < 1 ? draw.least : least, NO_CAP, RHO);
        double penalty = (draw.loses(side) ? ofPenalty : 1) * round.penalty();
        worst = Math.max(worst, draw.violation(side, ofBound * h, penalty));
      }
    }
    return worst;
  }

  @Test
  void theInequalityHolds() {
    assertThat(largestViolation(1, 1, Integer.getInteger("inputs", DRAWS))).isLessThan(1e-12);
  }

  /** A factor of 1 in place of 2. */
  @Test
  void halfThePenaltyIsNotEnough() {
    assertThat(largestViolation(0.5, 1, DRAWS)).isGreaterThan(CLEAR);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.5, 0.7})
  void aSmallerBoundIsNotEnough(double ofBound) {
    assertThat(largestViolation(1, ofBound, DRAWS)).isGreaterThan(CLEAR);
  }

  /** Without a losing coin, the penalty is the gain that the old bets miss, and h stays. */
  @Test
  void coinsThatWinCostWhatOldBetsMiss() {
    RoundCoins round = new RoundCoins();
    round.add(0.3, 2, 1, 5, 0.5);
    round.add(0.1, 0, 0, 0, 0.5);
    assertThat(round.total()).isEqualTo(0.4);
    assertThat(round.outstanding()).isEqualTo(1);
    assertThat(round.bound(1, 0.9, 2.5, RHO)).isEqualTo(0.9);
    assertThat(round.penalty()).isEqualTo(0.6);
  }

  @Test
  void timelyCoinsHaveNoPenaltyWhateverTheirSize() {
    RoundCoins round = new RoundCoins();
    round.add(-40, 0, 0, 0, 1);
    for (int side : new int[] {1, -1}) {
      assertThat(round.bound(side, 1, 2.5, RHO)).isEqualTo(1);
      assertThat(round.penalty()).isZero();
    }
  }

  /** The negated coins of a round are the other side's. */
  @Test
  void sidesMirrorEachOther() {
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 1000; i++) {
      Draw draw = new Draw(random);
      RoundCoins round = draw.roundCoins();
      RoundCoins mirrored = new RoundCoins();
      for (int j = 0; j < draw.coins.length; j++) {
        mirrored.add(
            -draw.coins[j],
            -draw.absorbed[j],
            draw.lower[j],
            draw.upper[j],
            1.0 / draw.coins.length);
      }
      double upper = round.bound(1, draw.least, 2.5, RHO);
      double penalty = round.penalty();
      assertThat(mirrored.bound(-1, draw.least, 2.5, RHO)).isEqualTo(upper);
      assertThat(mirrored.penalty()).isEqualTo(penalty);
    }
  }

  @Test
  void extremeNumbersEnd() {
    for (double size : new double[] {1e-300, 1e150, 1e300}) {
      RoundCoins round = new RoundCoins();
      round.add(-size, 1e150, 1e200, 1e200, 0.5);
      round.add(size, -1e-150, 0, 0, 0.5);
      for (int side : new int[] {1, -1}) {
        assertThat(round.bound(side, 1e-3, 2.5, RHO)).isGreaterThanOrEqualTo(1e-3);
        assertThat(round.penalty()).isNotNaN();
      }
    }
  }
}
