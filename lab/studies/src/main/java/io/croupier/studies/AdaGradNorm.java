package io.croupier.studies;

/** Steps eta / sqrt(sum ||g~||^2), [DHS11] with one step size for all coordinates. */
final class AdaGradNorm extends Descent {
  private final double stepSize;

  AdaGradNorm(int dimension, double stepSize) {
    super(dimension);
    this.stepSize = stepSize;
  }

  @Override
  double stepSize(State state) {
    return stepSize / Math.sqrt(state.squaredNorms());
  }
}
