package io.croupier.operators.central;

import io.croupier.noise.InsecureNoise;
import java.util.Arrays;

/** Noise for tests, without protection. */
public final class TestNoise {
  /** Steps of 2^-44 on a grid of 1/16. */
  static final NoiseGrid GRID = new NoiseGrid(-4, 40, 1);

  private TestNoise() {}

  /** Prefix sums with seeded noise, which can be drawn again. */
  public static PrefixSum seeded(PrefixNoise noise, int dimension, int gridExponent, int seed) {
    NoiseGrid grid = new NoiseGrid(gridExponent, 10, 1 << 24);
    return start(noise, dimension, grid, NodeNoise.gaussian(1 << 24, InsecureNoise.exact(seed)));
  }

  /** Prefix sums without noise. */
  public static PrefixSum none(PrefixNoise noise, int dimension, int gridExponent) {
    return start(
        noise, dimension, new NoiseGrid(gridExponent, 10, 1), into -> Arrays.fill(into, 0));
  }

  static PrefixSum start(PrefixNoise noise, int dimension, NoiseGrid grid, NodeNoise source) {
    return noise instanceof TreeNoise tree
        ? tree.start(dimension, grid, source, 0)
        : ((BltNoise) noise).start(dimension, grid, source, 0);
  }
}
