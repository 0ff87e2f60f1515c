package io.croupier.client.randomiser;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.noise.InsecureNoise;
import io.croupier.noise.SecureBits;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two copies of a device, resumed from one snapshot, don't add the same noise to two gradients:
 * otherwise the difference of their releases would be that of the gradients.
 */
class CopiedProcessTest {
  private static final int DIMENSION = 9;
  private static final GradientGrid GRID = new GradientGrid(1, DIMENSION, -16);

  /** A coordinate with noise takes more than 1000 values with nearly equal probabilities. */
  @ParameterizedTest
  @EnumSource(RandomiserCase.class)
  void copiesDrawDifferentNoise(RandomiserCase mechanism) {
    SecureBits bits = new SecureBits();
    SecureBits copied = InsecureNoise.copy(bits);
    GridRandomiser one = mechanism.of(GRID, 2, bits);
    GridRandomiser other = mechanism.of(GRID, 2, copied);
    double[] gradient = new double[DIMENSION];
    for (int release = 0; release < 3; release++) {
      // False alarm: below 1000^-6.
      assertThat(one.randomise(gradient))
          .as("release %s", release)
          .isNotEqualTo(other.randomise(gradient));
    }
    // The comparison above detects equal releases.
    assertThat(mechanism.seeded(GRID, 2, 3).randomise(gradient))
        .isEqualTo(mechanism.seeded(GRID, 2, 3).randomise(gradient));
  }
}
