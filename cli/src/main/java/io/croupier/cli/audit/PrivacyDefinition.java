package io.croupier.cli.audit;

import org.apache.commons.math3.distribution.NormalDistribution;

/** Privacy definitions, each relating the probabilities of an event under neighbouring inputs. */
enum PrivacyDefinition {
  /** p &lt;= exp(epsilon) q for every event. */
  EPSILON("epsilon") {
    @Override
    double leastLevel(double p, double q) {
      return Math.max(0, Math.log(p / q));
    }
  },

  /** p &lt;= Phi(Phi^-1(q) + mu) for every event [DRS22, Theorem 1]. */
  MU("mu") {
    @Override
    double leastLevel(double p, double q) {
      return Math.max(
          0,
          STANDARD_NORMAL.inverseCumulativeProbability(p)
              - STANDARD_NORMAL.inverseCumulativeProbability(q));
    }
  };

  private static final NormalDistribution STANDARD_NORMAL = new NormalDistribution(null, 0, 1);

  private final String symbol;

  PrivacyDefinition(String symbol) {
    this.symbol = symbol;
  }

  /** The name of the option for the level. */
  String symbol() {
    return symbol;
  }

  /**
   * The least level that permits an event with these probabilities.
   *
   * @param p under one input, from 0 to 1
   * @param q under the other, above 0, at most 1
   */
  abstract double leastLevel(double p, double q);
}
