package io.croupier.operators.evaluation;

/**
 * How soon answers count less: the weight of an answer depends on its age alone, the number of
 * publications since the one that it is about. When the sum of the weights falls below 10^-6, all
 * answers are forgotten; a single one reaches that after 878 or 202 publications.
 */
enum Forgetting {
  /** The last 44 publications have half of the weight. */
  LASTING(0.984375),
  /** The last 10 publications have half of the weight. */
  RECENT(0.93359375),
  /** All have the same weight. */
  NEVER(1);

  private static final double FORGOTTEN = 1e-6;

  /** What remains of a weight after another publication: 63/64, 239/256 or 1, exact in binary. */
  private final double retained;

  Forgetting(double retained) {
    this.retained = retained;
  }

  /** What remains of a weight after another publication. */
  double retained() {
    return retained;
  }

  /** Returns the weight of an answer about a publication than which {@code age} are newer. */
  double weight(int age) {
    double weight = 1;
    for (int i = 0; i < age; i++) {
      weight *= retained;
    }
    return weight;
  }

  /** Returns whether another publication makes a sum of weights too small to keep. */
  boolean isForgotten(double weights) {
    return weights * retained < FORGOTTEN;
  }
}
