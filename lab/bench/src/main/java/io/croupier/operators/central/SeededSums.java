package io.croupier.operators.central;

import java.util.function.DoubleSupplier;

/**
 * The prefix sums of the job with reproducible noise, for simulations that protect nothing. It is
 * in the package of the mechanisms because their constructors for other noise are package-private.
 */
public final class SeededSums {
  private static final int DEVIATION_BITS = 24;

  private SeededSums() {}

  /**
   * Starts without steps. Gradients are whole numbers, and the standard deviation of a draw is 1.
   *
   * @param dimension d, at least 1
   * @param normal standard normal variates; their deviation from the exact law is below 2^-24
   */
  public static PrefixSum start(PrefixNoise noise, int dimension, DoubleSupplier normal) {
    NoiseGrid grid = new NoiseGrid(0, DEVIATION_BITS, 1 << DEVIATION_BITS);
    NodeNoise source =
        into -> {
          for (int i = 0; i < into.length; i++) {
            into[i] = Math.round(Math.scalb(normal.getAsDouble(), DEVIATION_BITS));
          }
        };
    return noise instanceof TreeNoise tree
        ? tree.start(dimension, grid, source, 0)
        : ((BltNoise) noise).start(dimension, grid, source, 0);
  }
}
