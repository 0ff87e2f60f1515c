package io.croupier.operators.central;

import io.croupier.accounting.DiscreteGaussian;
import io.croupier.accounting.tree.Completion;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.accounting.tree.Schedule;

/**
 * Tree aggregation [KMSTTX21, Algorithm 1 and appendix B]: node (h, i) of a binary tree covers the
 * leaves i 2^h to (i + 1) 2^h - 1, one leaf a step, and is noised once, when it is complete.
 *
 * <p>Guarantee, under zero-out, with {@link #zeta} for the steps and limits: zeta / (2
 * sigma^2)-zCDP, exactly, as a node is an integer vector with discrete Gaussian noise [CKS20]. It
 * is sqrt(zeta) / sigma-GDP [DRS22] but for a total variation distance of min(d / 24, sqrt(d) / 16)
 * / s^2 for each node above a contribution, s the deviation in steps of the noise, at least 2^24:
 * for a million coordinates, a million steps and one participation, below 5e-12.
 *
 * @param estimator of a node's sum
 * @param restartEvery steps of each tree but the last, its last estimate added to all that follow;
 *     {@link Schedule#NEVER}: one tree
 * @param completion {@link Completion#BEFORE_RESTART}: a tree is completed by virtual steps before
 *     the next one starts, so that the noise of its last estimate is that of a root
 */
public record TreeNoise(Estimator estimator, long restartEvery, Completion completion)
    implements PrefixNoise {

  /** What a node's sum is estimated from; the noise of its estimate has this variance. */
  public enum Estimator {
    /** Its own noisy value. */
    VANILLA {
      @Override
      double variance(int height) {
        return 1;
      }
    },
    /**
     * Everything below it too, by least squares [Hon15]: r' = own + (r'_left + r'_right) / 2, of
     * which r' / (2 - 2^-h) is the estimate ([KMSTTX21, eq. 4], whose sign of z - x is turned).
     */
    HONAKER {
      @Override
      double variance(int height) {
        return 1 / (2 - Math.scalb(1.0, -height));
      }
    };

    /** Of the estimate of a complete node, in units of the variance of its own noise. */
    abstract double variance(int height);
  }

  /** Of the deviation of a root's noise, times 2^height: {@link TreeSum} has 63 for its tails. */
  private static final int ROOM_BITS = 55;

  private static final int MOST_DEVIATION_BITS = 30;

  /** Of the deviation in steps of the noise, whatever the tree. */
  private static final int LEAST_DEVIATION_BITS = 24;

  /**
   * Checks restarts.
   *
   * @throws IllegalArgumentException naming the field that is out of range
   */
  public TreeNoise {
    if (completion == Completion.EVERY_TREE) {
      throw new IllegalArgumentException(
          "completion is EVERY_TREE; a tree is only completed BEFORE_RESTART, or not: NONE");
    }
    // It holds the rules on restarts.
    new Schedule(1, ParticipationLimits.ONCE, restartEvery, completion);
  }

  /** One tree for ever. */
  public static TreeNoise of(Estimator estimator) {
    return new TreeNoise(estimator, Schedule.NEVER, Completion.NONE);
  }

  @Override
  public long maxSteps() {
    return Schedule.MAX_STEPS;
  }

  @Override
  public double zeta(long steps, ParticipationLimits limits) {
    return new Schedule(steps, limits, restartEvery, completion).zeta();
  }

  /** Of every released node that a person contributed to: no more than their zeta. */
  @Override
  public double variation(int dimension, double zeta) {
    return zeta * DiscreteGaussian.variation(dimension, 1L << LEAST_DEVIATION_BITS);
  }

  @Override
  public double variance(long step) {
    PrefixSumChecks.step(step, maxSteps());
    double ofTree = varianceOfSteps(stepsOfTree(step));
    if (restartEvery == Schedule.NEVER) {
      return ofTree;
    }
    double frozen =
        completion == Completion.NONE
            ? varianceOfSteps(restartEvery)
            : CompletedTree.variance(estimator, restartEvery);
    return finishedTrees(step) * frozen + ofTree;
  }

  private double varianceOfSteps(long steps) {
    double variance = 0;
    for (int h = 0; steps >> h > 0; h++) {
      variance += (steps >> h & 1) * estimator.variance(h);
    }
    return variance;
  }

  @Override
  public int vectors(long step) {
    PrefixSumChecks.step(step, maxSteps());
    return 1 + Long.bitCount(stepsOfTree(step)) + (finishedTrees(step) > 0 ? 1 : 0);
  }

  /** Steps of the tree that the last of so many steps is in. */
  long stepsOfTree(long steps) {
    return restartEvery == Schedule.NEVER || steps == 0 ? steps : (steps - 1) % restartEvery + 1;
  }

  /** Trees before that one. */
  long finishedTrees(long steps) {
    return restartEvery == Schedule.NEVER || steps == 0 ? 0 : (steps - 1) / restartEvery;
  }

  @Override
  public void check(int dimension, NoiseLevel level) {
    PrefixSumChecks.dimension(dimension);
    grid(level);
  }

  private NoiseGrid grid(NoiseLevel level) {
    long leaves = restartEvery == Schedule.NEVER ? maxSteps() : Math.min(restartEvery, maxSteps());
    int bits = Math.min(MOST_DEVIATION_BITS, ROOM_BITS - CompletedTree.height(leaves));
    return NoiseGrid.of(level, bits, 0);
  }

  @Override
  public PrefixSum start(int dimension, NoiseLevel level, long after) {
    NoiseGrid grid = grid(level);
    return start(dimension, grid, NodeNoise.secure(grid.deviation()), after);
  }

  PrefixSum start(int dimension, NoiseGrid grid, NodeNoise noise, long after) {
    return new TreeSum(
        this, dimension, grid, noise, PrefixSumChecks.stepsBefore(after, maxSteps()));
  }
}
