package io.croupier.operators.central;

import io.croupier.noise.ExactNoise;
import io.croupier.noise.SecureBits;

/** A source of independent noise vectors. */
@FunctionalInterface
interface NodeNoise {
  /** Overwrites a vector with new noise, in steps of the noise. */
  void draw(long[] into);

  /**
   * Returns discrete Gaussian noise from a generator of its own, which the operating system keys.
   */
  static NodeNoise secure(int deviation) {
    return secure(deviation, new SecureBits());
  }

  /**
   * Returns the same from the given generator; every vector begins with fresh randomness, so a
   * copied process draws other vectors.
   */
  static NodeNoise secure(int deviation, SecureBits bits) {
    NodeNoise noise = gaussian(deviation, new ExactNoise(bits));
    return into -> {
      bits.renew();
      noise.draw(into);
    };
  }

  static NodeNoise gaussian(int deviation, ExactNoise noise) {
    return into -> {
      for (int i = 0; i < into.length; i++) {
        into[i] = noise.gaussian(deviation);
      }
    };
  }
}
