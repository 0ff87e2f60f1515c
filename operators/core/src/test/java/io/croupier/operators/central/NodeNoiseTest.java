package io.croupier.operators.central;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.noise.InsecureNoise;
import io.croupier.noise.SecureBits;
import org.junit.jupiter.api.Test;

class NodeNoiseTest {

  /** Otherwise two copies of a job would publish two sums under the same noise. */
  @Test
  void twoCopiesOfAProcessDrawDifferentNoise() {
    SecureBits bits = new SecureBits();
    NodeNoise copy = NodeNoise.secure(1 << 24, InsecureNoise.copy(bits));
    NodeNoise noise = NodeNoise.secure(1 << 24, bits);
    for (int round = 0; round < 3; round++) {
      long[] one = new long[4];
      long[] other = new long[4];
      noise.draw(one);
      copy.draw(other);
      // False alarm: below 2^-96.
      assertThat(one).as("round %s", round).isNotEqualTo(other);
    }
  }
}
