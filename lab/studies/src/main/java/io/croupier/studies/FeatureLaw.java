package io.croupier.studies;

import io.croupier.operators.math.Vectors;

/** Laws of features, none longer than 1. */
enum FeatureLaw {
  /** Uniform on the unit sphere. */
  SPHERE {
    @Override
    void draw(SeededRandom random, double[] x) {
      random.sphere(x);
    }
  },

  /** The sphere with the j-th coordinate divided by j. */
  SCALED {
    @Override
    void draw(SeededRandom random, double[] x) {
      random.sphere(x);
      for (int j = 1; j < x.length; j++) {
        x[j] /= j + 1;
      }
    }
  },

  /** The sphere at sqrt(1/2) of its size, the first coordinate then replaced by sqrt(1/2). */
  INTERCEPT {
    @Override
    void draw(SeededRandom random, double[] x) {
      random.sphere(x);
      Vectors.scale(Math.sqrt(0.5), x, x);
      x[0] = Math.sqrt(0.5);
    }
  };

  abstract void draw(SeededRandom random, double[] x);
}
