package io.croupier.client.randomiser;

import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.noise.SecureBits;
import io.croupier.noise.Statistics;

/** Randomisers whose bits are the same in each run. */
public final class SeededRandomisers {
  private SeededRandomisers() {}

  /** Draws its seeds from one stream, and its groups from another. */
  public static HashedResponseRandomiser hashedResponse(
      double epsilon, int categories, int seeds, int groups) {
    return new HashedResponseRandomiser(
        epsilon, categories, Statistics.seeded(seeds), Statistics.seeded(groups));
  }

  /** A randomised bit of epsilon. */
  public static BitRandomiser bit(double epsilon, SecureBits bits) {
    return new BitRandomiser(new RandomisedResponseMechanism(epsilon, false), bits);
  }
}
