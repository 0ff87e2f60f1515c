package io.croupier.noise;

/** Bits of simulated devices: seeded, so that they protect no one. */
public final class SimulatedBits {
  private SimulatedBits() {}

  /** Creates bits that are the same for each seed. */
  public static SecureBits seeded(int seed) {
    byte[] key = new byte[32];
    key[0] = (byte) seed;
    return SecureBits.insecureForTestsOnly(key);
  }
}
