package io.croupier.noise;

/** Reproducible noise, for tests of this module and of others. */
public final class InsecureNoise {
  private InsecureNoise() {}

  /** A copy of a generator, as in a copied process: until it is renewed, it draws the same bits. */
  public static SecureBits copy(SecureBits bits) {
    return bits.copyForTestsOnly();
  }

  /** Exact noise from a seed. */
  public static ExactNoise exact(int seed) {
    return new ExactNoise(integers(seed));
  }

  /** Uniform integers from a seed. */
  public static UniformIntegers integers(int seed) {
    return UniformIntegers.of(Statistics.seeded(seed));
  }
}
