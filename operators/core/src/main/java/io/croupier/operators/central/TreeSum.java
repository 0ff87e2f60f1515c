package io.croupier.operators.central;

import io.croupier.accounting.tree.Completion;
import io.croupier.accounting.tree.Schedule;
import io.croupier.operators.central.TreeNoise.Estimator;
import java.util.Arrays;

/**
 * Prefix sums by tree aggregation, streaming: the exact sum, and the noise of the complete nodes
 * that wait for their sibling, one for each set bit of the steps of the tree.
 *
 * <p>With R = 2^h r' the estimator is in integers: R = 2^h own + R_left + R_right, and R / (2^(h+1)
 * - 1) is the estimate of a node's sum S. Noise and S are kept separately: N = R - (2^(h+1) - 1) S
 * obeys the same recursion with the noise alone. As floor(R / (2^(h+1) - 1)) = S + floor(N /
 * (2^(h+1) - 1)), the release is a function of the R, which are functions of the noisy nodes.
 * Rounding down costs a step of the noise, at most 2^-24 of its deviation, per node.
 *
 * <p>Invariants: (1) noise[h] exists if and only if bit h of the steps of the tree is set; (2) a
 * node's noise is drawn once; the vanilla estimator never releases a right child, whose parent is
 * complete at the same step, and doesn't draw its noise.
 *
 * <p>No overflow: the deviation of N is below 2^(h + 1/2) s &lt;= 2^55.5, where s is that of a
 * node's own noise, so that 63 bits cover 180 deviations.
 *
 * <p>A step draws noise for each node that it completes, two on average; O(d log steps), one pass
 * for each vector, no allocation per coordinate.
 */
final class TreeSum implements PrefixSum {
  private static final int MOST_HEIGHT = 31;

  private final TreeNoise tree;
  private final NoiseGrid grid;
  private final NodeNoise source;
  private final long[] sum;
  private final long[] scratch;
  private final long[][] noise = new long[MOST_HEIGHT][];
  private long[] frozen;
  private long steps;

  TreeSum(TreeNoise tree, int dimension, NoiseGrid grid, NodeNoise source, long after) {
    this.tree = tree;
    this.grid = grid;
    this.source = source;
    sum = new long[PrefixSumChecks.dimension(dimension)];
    scratch = new long[dimension];
    steps = after;
    for (int h = 0; h < MOST_HEIGHT; h++) {
      noise[h] = isWaiting(h) ? new long[dimension] : null;
    }
    frozen = tree.finishedTrees(steps) > 0 ? new long[dimension] : null;
  }

  /** Returns whether a complete node of this height waits for its sibling. */
  private boolean isWaiting(int height) {
    return (tree.stepsOfTree(steps) >> height & 1) == 1;
  }

  @Override
  public long round() {
    return steps;
  }

  @Override
  public void add(long[] roundSum, double[] prefix) {
    PrefixSumChecks.shape("roundSum", roundSum.length, sum.length);
    PrefixSumChecks.shape("prefix", prefix.length, sum.length);
    if (steps == tree.maxSteps()) {
      throw new IllegalStateException("the tree has taken all of its " + steps + " steps");
    }
    if (steps > 0 && steps == restartAfter()) {
      restart();
    }
    steps++;
    completeNodes(Long.numberOfTrailingZeros(tree.stepsOfTree(steps)));
    for (int i = 0; i < sum.length; i++) {
      sum[i] += roundSum[i];
    }
    estimate();
    grid.release(sum, scratch, prefix);
  }

  /** Returns the steps after which the present tree is full. */
  private long restartAfter() {
    return tree.restartEvery() == Schedule.NEVER
        ? Schedule.NEVER
        : (tree.finishedTrees(steps) + 1) * tree.restartEvery();
  }

  /**
   * Draws the noise of the nodes that this leaf completes, up to a height, and drops their
   * children.
   */
  private void completeNodes(int height) {
    long[] node = new long[sum.length];
    source.draw(node);
    for (int h = 0; h < height; h++) {
      if (tree.estimator() == Estimator.HONAKER) {
        source.draw(scratch);
        merge(noise[h], scratch, h + 1, node);
      }
      noise[h] = null;
    }
    noise[height] = node;
  }

  private static void merge(long[] left, long[] own, int height, long[] node) {
    for (int i = 0; i < node.length; i++) {
      node[i] += left[i] + (own[i] << height);
    }
  }

  /** Computes the noise of the prefix into the scratch vector. */
  private void estimate() {
    if (frozen == null) {
      Arrays.fill(scratch, 0);
    } else {
      System.arraycopy(frozen, 0, scratch, 0, scratch.length);
    }
    for (int h = 0; h < MOST_HEIGHT; h++) {
      if (noise[h] != null) {
        addEstimate(scratch, h);
      }
    }
  }

  private void addEstimate(long[] into, int height) {
    long[] node = noise[height];
    long divisor = tree.estimator() == Estimator.VANILLA ? 1 : (2L << height) - 1;
    double inverse = 1.0 / divisor;
    for (int i = 0; i < into.length; i++) {
      // The quotient is below 2^51, so its error is one at most. This is faster than an integer
      // division.
      long quotient = (long) Math.floor(node[i] * inverse);
      long rest = node[i] - quotient * divisor;
      into[i] += rest < 0 ? quotient - 1 : rest >= divisor ? quotient + 1 : quotient;
    }
  }

  private void restart() {
    long leaves = tree.stepsOfTree(steps);
    if (tree.completion() == Completion.BEFORE_RESTART && Long.bitCount(leaves) > 1) {
      long[] root =
          CompletedTree.estimate(tree.estimator(), leaves, this::addEstimate, source, scratch);
      if (frozen != null) {
        for (int i = 0; i < root.length; i++) {
          root[i] += frozen[i];
        }
      }
      frozen = root;
    } else {
      estimate();
      frozen = scratch.clone();
    }
    Arrays.fill(noise, null);
  }

  @Override
  public void visit(Visitor visitor) {
    long before = steps;
    steps = visitor.count("steps", steps);
    if (before == 0 && steps > 0) {
      Arrays.fill(sum, Long.MIN_VALUE);
      visitor.counts("sum", sum);
      PrefixSumChecks.restored("sum", sum);
    } else {
      visitor.counts("sum", sum);
    }
    for (int h = 0; h < MOST_HEIGHT; h++) {
      noise[h] = isWaiting(h) ? visited(visitor, nodeName(h), noise[h]) : null;
    }
    frozen = tree.finishedTrees(steps) > 0 ? visited(visitor, "frozen", frozen) : null;
  }

  /** Returns a unique name: a node's height, its number, and that of its tree. */
  private String nodeName(int height) {
    return NODE
        + height
        + "-"
        + (tree.stepsOfTree(steps) >> height)
        + "-"
        + tree.finishedTrees(steps);
  }

  private long[] visited(Visitor visitor, String name, long[] values) {
    if (values != null) {
      visitor.counts(name, values);
      return values;
    }
    long[] restored = new long[sum.length];
    Arrays.fill(restored, Long.MIN_VALUE);
    visitor.counts(name, restored);
    PrefixSumChecks.restored(name, restored);
    return restored;
  }
}
