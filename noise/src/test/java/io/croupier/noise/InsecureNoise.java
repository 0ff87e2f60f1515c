package io.croupier.noise;

/** Noise that anybody can draw again, for tests of this module and of others. */
public final class InsecureNoise {
  private InsecureNoise() {}

  /** A copy of a generator, as a copied process has one: until it is renewed, it draws the same. */
  public static SecureBits copy(SecureBits bits) {
    return bits.copyForTestsOnly();
  }

  /** Exact noise from a seed. */
  public static ExactNoise exact(int seed) {
    return new ExactNoise(Statistics.seeded(seed));
  }
}
