package io.croupier.studies;

/** A fixed sample of features, over which excess risks without a closed form are averaged. */
final class Design {
  private static final long SEED = 4000;

  final Features features;
  final int dimension;
  final double[][] points;

  Design(Features features, int dimension, int size) {
    this.features = features;
    this.dimension = dimension;
    this.points = new double[size][dimension];
    SeededRandom random = new SeededRandom(SEED);
    for (double[] point : points) {
      features.draw(random, point);
    }
  }
}
