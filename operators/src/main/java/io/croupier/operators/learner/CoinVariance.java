package io.croupier.operators.learner;

import java.io.Serializable;

/** What a round adds to V, the accumulated variance of the coins. */
sealed interface CoinVariance extends Serializable {

  /** V's increment, at least 0. */
  double of(double coin, double directionalVariance);

  /** The squared coin itself: needs no knowledge of the noise, [vdH19, Algorithm 1]. */
  record SquaredCoin() implements CoinVariance {
    @Override
    public double of(double coin, double directionalVariance) {
      return Math.min(coin * coin, Double.MAX_VALUE);
    }
  }

  /**
   * sigma1^2 / 2 + G^2, with sigma1^2 the declared sub-exponential variance of the noise along one
   * direction, [JO19, Algorithm 1]. The paper's line 4 has sigma^2 = E||xi||^2 instead, about d
   * times too large, and too small for d = 1.
   */
  record Declared(double gradientBound) implements CoinVariance {
    @Override
    public double of(double coin, double directionalVariance) {
      return directionalVariance / 2 + gradientBound * gradientBound;
    }
  }
}
