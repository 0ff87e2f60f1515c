package io.croupier.operators.central;

import io.croupier.accounting.DiscreteGaussian;
import io.croupier.accounting.tree.Completion;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.accounting.tree.Schedule;

/**
 * Tree aggregation [KMSTTX21, Algorithm 1 and appendix B]: node (h, i) of a binary tree covers the
 * leaves i 2^h to (i + 1) 2^h - 1, one leaf per step, and receives noise once, when it is complete.
 *
 * <p>Guarantee, under zero-out, with {@link #zeta} for the steps and limits: zeta / (2
 * sigma^2)-zCDP, exactly, as a node is an integer vector with discrete Gaussian noise [CKS20]. It
 * is sqrt(zeta) / sigma-GDP [DRS22] up to a total variation distance of min(d / 24, sqrt(d) / 16) /
 * s^2 for each node above a contribution, where s, at least 2^24, is the deviation in steps of the
 * noise: for a million coordinates, a million steps and one participation, below 5e-12.
 *
 * @param estimator estimator of a node's sum
 * @param restartEvery steps of each tree but the last; the last estimate of a tree is added to all
 *     later ones. {@link Schedule#NEVER} for a single tree
 * @param completion {@link Completion#BEFORE_RESTART}: a tree is completed by virtual steps before
 *     the next one starts, so that the noise of its last estimate is that of a root
 */
public record TreeNoise(Estimator estimator, long restartEvery, Completion completion)
    implements PrefixNoise {

  /** The estimator of a node's sum, with the variance of its noise. */
  public enum Estimator {
    /** The node's own noisy value. */
    VANILLA {
      @Override
      double variance(int height) {
        return 1;
      }
    },
    /**
     * All noisy values in the node's subtree, by least squares [Hon15]: r' = own + (r'_left +
     * r'_right) / 2; the estimate is r' / (2 - 2^-h) ([KMSTTX21, eq. 4], which prints x - z in
     * place of z - x).
     */
    HONAKER {
      @Override
      double variance(int height) {
        return 1 / (2 - Math.scalb(1.0, -height));
      }
    };

    /**
     * Returns the variance of the estimate of a complete node, in units of the variance of its own
     * noise.
     */
    abstract double variance(int height);
  }

  /**
   * Bits for the deviation of a root's noise times 2^height; {@link TreeSum} has 63, the rest is
   * for the tails.
   */
  private static final int ROOM_BITS = 55;

  private static final int MOST_DEVIATION_BITS = 30;

  /** Binary logarithm of the least deviation in steps of the noise, for every tree. */
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
    // Schedule checks the rules on restarts.
    new Schedule(1, ParticipationLimits.ONCE, restartEvery, completion);
  }

  /** Returns the noise of one tree without restarts. */
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

  /** The variation of every released node to which a user contributed: at most zeta nodes. */
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

  /** Returns the steps in the present tree after the given number of steps. */
  long stepsOfTree(long steps) {
    return restartEvery == Schedule.NEVER || steps == 0 ? steps : (steps - 1) % restartEvery + 1;
  }

  /** Returns the number of trees before the present one. */
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
