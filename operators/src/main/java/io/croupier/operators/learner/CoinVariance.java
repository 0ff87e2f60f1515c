package io.croupier.operators.learner;

import java.io.Serializable;

/** The increment of V, the accumulated variance of the coins, in a round. */
sealed interface CoinVariance extends Serializable {

  /** Returns the increment of V, at least 0. */
  double of(double coin, double directionalVariance);

  /** The squared coin itself, which needs no declared noise, [vdH19, Algorithm 1]. */
  record SquaredCoin() implements CoinVariance {
    @Override
    public double of(double coin, double directionalVariance) {
      return Math.min(coin * coin, Double.MAX_VALUE);
    }
  }

  /**
   * sigma1^2 / 2 + G^2, with sigma1^2 the declared sub-exponential variance of the noise along one
   * direction, [JO19, Algorithm 1]. The paper's line 4 uses sigma^2 = E||xi||^2 instead, about d
   * times too large, and too small for d = 1.
   */
  record Declared(double gradientBound) implements CoinVariance {
    @Override
    public double of(double coin, double directionalVariance) {
      return directionalVariance / 2 + gradientBound * gradientBound;
    }
  }
}
