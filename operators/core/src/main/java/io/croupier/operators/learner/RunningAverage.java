package io.croupier.operators.learner;

/**
 * A weighted mean of iterates in two layers: the mean over the present block of {@value #BLOCK}
 * rounds, kept as recent += (alpha_t / W) (w_t - recent), with alpha_t the weight of the t-th
 * iterate and W the sum of the block's weights; and the mean over all earlier blocks, into which a
 * full block is merged. Only ratios of weights are kept: they grow like t however fast the weights
 * grow.
 *
 * <p>Accuracy: a mean in one layer stops changing once an iterate moves it by less than half its
 * last bit, and is off by up to 1e-7 of the largest iterate after 10^9 rounds. In two layers the
 * roundings of one block and of the merges remain: at most (BLOCK + T / BLOCK) 2^-52, below 2e-11
 * of the largest iterate at T = 10^9, for the memory of one more vector and no additional memory
 * traffic in a step.
 */
public final class RunningAverage {
  static final int BLOCK = 1 << 15;

  /** Mean over the present block; the whole mean as long as no block is full. */
  public final double[] recent;

  /** Mean over all full blocks; null before there is one. */
  private double[] settled;

  private long fullBlocks;

  /** Rounds of the present block. */
  private long blockLength;

  /** The block's sum of weights, in units of the newest weight. */
  private double recentRatio;

  /** Sum of the weights of all full blocks, in units of the newest weight of the last of them. */
  private double settledRatio;

  /** The unit of {@link #settledRatio} in units of the newest weight of all. */
  private double fade = 1;

  /** Creates the mean of no iterates: zero. */
  public RunningAverage(int dimension) {
    recent = new double[dimension];
  }

  /**
   * Prepares for the next iterate, given alpha_(t-1) / alpha_t (0 for the first). The caller then
   * moves {@link #recent} by {@link #gain()} towards that iterate.
   */
  public void advance(double decay) {
    if (isBlockFull()) {
      settle();
    }
    blockLength++;
    fade *= decay;
    recentRatio = 1 + recentRatio * decay;
  }

  /**
   * Returns whether the next iterate begins a new block; all earlier iterates must be included by
   * then.
   */
  boolean isBlockFull() {
    return blockLength == BLOCK;
  }

  /** Returns alpha_t / W, the weight of the present iterate in the mean over the block. */
  public double gain() {
    return 1 / recentRatio;
  }

  private void settle() {
    if (settled == null) {
      settled = new double[recent.length];
    }
    double share = shareOfRecent();
    for (int i = 0; i < recent.length; i++) {
      settled[i] += share * (recent[i] - settled[i]);
      recent[i] = 0;
    }
    settledRatio = settledRatio * fade + recentRatio;
    fade = 1;
    recentRatio = 0;
    blockLength = 0;
    fullBlocks++;
  }

  /** Returns the weight of the present block in the mean over all iterates. */
  double shareOfRecent() {
    return recentRatio / (settledRatio * fade + recentRatio);
  }

  /** Writes the mean over all iterates into {@code into}. */
  public void copy(double[] into) {
    if (settled == null) {
      System.arraycopy(recent, 0, into, 0, recent.length);
      return;
    }
    double share = shareOfRecent();
    for (int i = 0; i < recent.length; i++) {
      into[i] = settled[i] + share * (recent[i] - settled[i]);
    }
  }

  /** Returns the mean over all full blocks, shape [d], not a copy; null before there is one. */
  double[] settled() {
    return settled;
  }

  /** Passes the average to a visitor, as part of a state. */
  public void visit(LearnerState.Visitor visitor) {
    visitNumbers(visitor);
    visitor.vector("average", recent);
    if (fullBlocks > 0) {
      visitor.vector("settled-average", settled);
    }
  }

  /** Visits everything but the vectors; the means of full blocks exist from then on. */
  void visitNumbers(LearnerState.Visitor visitor) {
    blockLength = visitor.count("average-block-length", blockLength);
    recentRatio = visitor.scalar("weight-ratio", recentRatio);
    fullBlocks = visitor.count("average-blocks", fullBlocks);
    if (fullBlocks > 0) {
      if (settled == null) {
        settled = new double[recent.length];
      }
      settledRatio = visitor.scalar("settled-weight", settledRatio);
      fade = visitor.scalar("settled-weight-unit", fade);
    }
  }
}
