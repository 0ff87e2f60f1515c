package io.croupier.cli.demo;

/**
 * The rounds of a model of raw reports. Each person is asked once, so every round has a group of
 * its own.
 *
 * <p>A group is exactly as large as the round's goal. A round closes at the first checkpoint at
 * which it holds its goal, and drops what comes later, and a dropped report stays charged: a larger
 * group would have some people pay for nothing. In a deployment, where not everybody answers,
 * groups must be larger.
 *
 * @param count how many rounds
 * @param goal reports in each of them
 */
record Rounds(int count, int goal) {

  /**
   * Each takes a checkpoint or two beside the people who come, so that slow machines need few. It
   * is a power of two, for which a tree charges people no more than is released of it.
   */
  private static final int MOST = 32;

  /** With fewer people in a round there is more noise than gradient. */
  private static final int LEAST_GOAL = 32;

  /** As many as are good for so many people. */
  static Rounds of(int people) {
    int count = Integer.highestOneBit(Math.max(1, Math.min(MOST, people / LEAST_GOAL)));
    return new Rounds(count, people / count);
  }

  /** How many people are asked in all: those left over never are. */
  int reports() {
    return count * goal;
  }

  /** Which round is that of the person at a place in the order, from 0. */
  int ofPlace(long place) {
    return Math.toIntExact(place / goal);
  }
}
