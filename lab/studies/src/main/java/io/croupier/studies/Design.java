package io.croupier.studies;

import io.croupier.operators.math.Vectors;

/**
 * A law of features, and a fixed sample of it, over which excess risks without a closed form are
 * averaged.
 */
final class Design {
  private static final long SEED = 4000;

  private final FeatureLaw features;
  private final double spread;
  final int dimension;
  final double[][] points;

  Design(FeatureLaw features, int dimension, int size) {
    this(features, dimension, size, 0);
  }

  /**
   * Features of unequal lengths: each person's are multiplied by exp(spread N), N standard normal.
   */
  Design(FeatureLaw features, int dimension, int size, double spread) {
    this.features = features;
    this.spread = spread;
    this.dimension = dimension;
    this.points = new double[size][dimension];
    SeededRandom random = new SeededRandom(SEED);
    for (double[] point : points) {
      draw(random, point);
    }
  }

  /** Draws the features of a person. */
  void draw(SeededRandom random, double[] x) {
    features.draw(random, x);
    if (spread > 0) {
      Vectors.scale(Math.exp(spread * random.normal()), x, x);
    }
  }

  /** Returns whether features are uniform on the unit sphere. */
  boolean isSphere() {
    return features == FeatureLaw.SPHERE && spread == 0;
  }
}
