package io.croupier.studies;

/** DoG: steps max(r0, max ||w - w0||) / sqrt(sum ||g~||^2), [IHC23]. */
final class DistanceOverGradients extends Descent {
  private final double firstDistance;

  DistanceOverGradients(int dimension, double firstDistance) {
    super(dimension);
    this.firstDistance = firstDistance;
  }

  @Override
  double stepSize(State state) {
    return Math.max(firstDistance, state.farthest()) / Math.sqrt(state.squaredNorms());
  }
}
