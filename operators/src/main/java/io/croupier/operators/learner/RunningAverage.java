package io.croupier.operators.learner;

/**
 * A weighted mean of iterates, kept as avg += (alpha_t / W_t) (w_t - avg), where alpha_t is the
 * weight of the t-th iterate and W_t the sum of the weights so far. Only the ratio W_t / alpha_t is
 * kept: it grows like t however fast the weights grow.
 */
final class RunningAverage {
  final double[] values;

  /** W_t / alpha_t; 0 before the first iterate. */
  private double ratio;

  RunningAverage(int dimension) {
    values = new double[dimension];
  }

  /** Prepares for the next iterate, given alpha_(t-1) / alpha_t (0 for the first). */
  void advance(double decay) {
    ratio = 1 + ratio * decay;
  }

  /** alpha_t / W_t: what the iterate at hand weighs in the mean. */
  double gain() {
    return 1 / ratio;
  }

  void visit(LearnerState.Visitor visitor) {
    ratio = visitor.scalar("weight-ratio", ratio);
    visitor.vector("average", values);
  }
}
