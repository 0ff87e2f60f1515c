package io.croupier.accounting.tree;

/**
 * The squared sensitivity of a release to each user when it is known who took part in which step:
 * [KMSTTX21, Algorithm 4], with mini-batches, restarts and completion. Steps come one by one, so
 * that an order need not fit in memory.
 *
 * <p>A user who is twice in one step counts twice there: that is what such a step may move by if
 * each of the contributions is clipped by itself.
 *
 * <p>Cost for n contributions: time O(n log n), as each is merged once on every level; memory 20
 * bytes for each user of each node that waits for its sibling, which is at most n times, and about
 * twice the number of users if everybody takes part about equally often. Measured: 2.5 seconds and
 * less than 1 GB of heap for 10^7 steps of as many users.
 *
 * <p>Invariant: every tree but the open one has restartEvery steps.
 */
public final class GivenOrder {
  /** The most contributions: no count overflows, nor does any zeta. */
  public static final long MAX_CONTRIBUTIONS = 1L << 28;

  private final long restartEvery;
  private final Completion completion;
  private final OpenTree finishedTrees = new OpenTree(false);
  private OpenTree tree = new OpenTree(true);
  private long stepsOfTree;
  private long steps;
  private long contributions;

  /**
   * Starts an order without steps.
   *
   * @param restartEvery steps of each tree but the last; {@link Schedule#NEVER}: one tree
   * @param completion which trees are completed
   * @throws IllegalArgumentException as {@link Schedule}
   */
  public GivenOrder(long restartEvery, Completion completion) {
    Schedule.checkRestarts(restartEvery, completion);
    this.restartEvery = restartEvery;
    this.completion = completion;
  }

  /** One tree, not completed. */
  public static GivenOrder ofOneTree() {
    return new GivenOrder(Schedule.NEVER, Completion.NONE);
  }

  /**
   * Takes in the next step.
   *
   * @param users who contributes to it, in any order; nobody at all is fine
   * @throws IllegalArgumentException if there are too many steps or contributions in all
   */
  public void step(long... users) {
    if (contributions + users.length > MAX_CONTRIBUTIONS) {
      throw new IllegalArgumentException(
          String.format(
              "users of step %d bring the contributions to %d; there must be at most %d",
              steps, contributions + users.length, MAX_CONTRIBUTIONS));
    }
    Schedule.checkedSteps(steps + 1);
    if (restartEvery != Schedule.NEVER && stepsOfTree == restartEvery) {
      finishedTrees.add(ofTree(false));
      tree = new OpenTree(true);
      stepsOfTree = 0;
    }
    tree.add(UserCounts.leaf(users));
    stepsOfTree++;
    steps++;
    contributions += users.length;
  }

  private UserCounts ofTree(boolean last) {
    return completion.completes(last) ? tree.completed() : tree.asItIs();
  }

  /** How many steps there were. */
  public long steps() {
    return steps;
  }

  /** What the steps so far cost, if they are all: the open tree is the last. More may follow. */
  public UserZetas zetas() {
    return new UserZetas(finishedTrees.asItIs().and(ofTree(true)));
  }
}
