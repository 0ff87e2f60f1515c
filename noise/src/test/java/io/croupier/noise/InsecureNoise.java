package io.croupier.noise;

/** Noise that anybody can draw again, for tests of this module and of others. */
public final class InsecureNoise {
  private InsecureNoise() {}

  /** Exact noise from a seed. */
  public static ExactNoise exact(int seed) {
    return new ExactNoise(Statistics.seeded(seed));
  }
}
