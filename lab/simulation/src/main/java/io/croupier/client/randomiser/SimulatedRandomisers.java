package io.croupier.client.randomiser;

import io.croupier.noise.SecureBits;

/** Randomisers of simulated devices: their noise is seeded, and protects no one. */
public final class SimulatedRandomisers {
  private SimulatedRandomisers() {}

  /** Laplace noise on a model's grid. */
  public static Randomiser l2Laplace(
      double gradientBound, int dimension, int gridExponent, double epsilon, SecureBits bits) {
    return new L2LaplaceRandomiser(
        new GradientGrid(gradientBound, dimension, gridExponent), epsilon, bits);
  }
}
