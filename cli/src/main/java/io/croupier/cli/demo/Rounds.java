package io.croupier.cli.demo;

/**
 * The rounds of a model that receives raw reports. Each person reports once, so every round has its
 * own group of people.
 *
 * <p>The size of a group is exactly the round's goal. A round closes at the first checkpoint at
 * which it has reached its goal; later reports are dropped, but stay charged, so a larger group
 * would waste some people's budget. In a deployment, where not all people answer, groups must be
 * larger.
 *
 * @param count number of rounds
 * @param goal reports per round
 */
record Rounds(int count, int goal) {

  /**
   * Maximum number of rounds. Each round takes one or two checkpoints, so slow machines need few
   * rounds. It is a power of two, so people are not charged for unreleased nodes of a tree.
   */
  private static final int MOST = 32;

  /** With fewer people per round, the noise would exceed the gradient. */
  private static final int LEAST_GOAL = 32;

  /** The rounds for a number of people. */
  static Rounds of(int people) {
    int count = Integer.highestOneBit(Math.max(1, Math.min(MOST, people / LEAST_GOAL)));
    return new Rounds(count, people / count);
  }

  /** The total number of reports; remaining people don't report. */
  int reports() {
    return count * goal;
  }

  /** The round of the person at a place in the order, from 0. */
  int ofPlace(long place) {
    return Math.toIntExact(place / goal);
  }
}
