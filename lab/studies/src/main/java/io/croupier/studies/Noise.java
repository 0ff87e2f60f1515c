package io.croupier.studies;

/** A law of noise; the privacy level, epsilon or mu, differs from person to person. */
@FunctionalInterface
interface Noise {

  /** Writes the noise of a person of this level into {@code into}; zero at infinity. */
  void draw(double level, SeededRandom random, double[] into);

  /** Density exp(-(level/2) ||z||): level-LDP for gradients of norm at most 1. */
  static Noise l2Laplace() {
    return (level, random, into) -> {
      random.sphere(into);
      double radius = 2 / level * random.gamma(into.length);
      for (int j = 0; j < into.length; j++) {
        into[j] *= radius;
      }
    };
  }
}
