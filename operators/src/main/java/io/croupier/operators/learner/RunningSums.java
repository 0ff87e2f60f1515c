package io.croupier.operators.learner;

/** A few sums, each of the accuracy of {@link RunningSum}, saved as two vectors. */
final class RunningSums {
  private final double[] high;
  private final double[] low;

  /** Creates {@code count} sums of 0. */
  RunningSums(int count) {
    high = new double[count];
    low = new double[count];
  }

  /** Adds a finite term to the {@code i}-th sum. */
  void add(int i, double x) {
    double sum = RunningSum.within(high[i] + x);
    double z = sum - high[i];
    low[i] += (high[i] - (sum - z)) + (x - z);
    high[i] = sum;
  }

  /** Returns the {@code i}-th sum, which is finite. */
  double value(int i) {
    return RunningSum.within(high[i] + low[i]);
  }

  void visit(LearnerState.Visitor visitor, String name) {
    visitor.vector(name, high);
    visitor.vector(name + "-low", low);
  }
}
