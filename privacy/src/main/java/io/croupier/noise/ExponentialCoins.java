package io.croupier.noise;

/**
 * Coins of probability exp(-x), x rational, from uniform integers [CKS20, Algorithm 1]. No
 * probability is rounded.
 *
 * <p>O(1) in expectation; allocates nothing.
 */
class ExponentialCoins {
  private final UniformIntegers integers;

  ExponentialCoins(UniformIntegers integers) {
    this.integers = integers;
  }

  /**
   * True with probability exp(-numerator / denominator), which is the probability that the number
   * of consecutive true draws is even, where the k-th draw is true with probability numerator / (k
   * denominator).
   *
   * @param numerator from 0 to the denominator
   * @param denominator from 1 to 2^62
   */
  boolean survives(long numerator, long denominator) {
    long k = 1;
    while ((k == 1 || integers.occurs(1, k)) && integers.occurs(numerator, denominator)) {
      k++;
    }
    return (k & 1) == 1;
  }

  /** True with probability exp(-1). */
  boolean survives() {
    long k = 2;
    while (integers.occurs(1, k)) {
      k++;
    }
    return (k & 1) == 1;
  }
}
