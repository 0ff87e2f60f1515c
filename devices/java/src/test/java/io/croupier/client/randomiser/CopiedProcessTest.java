package io.croupier.client.randomiser;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.noise.InsecureNoise;
import io.croupier.noise.SecureBits;
import io.croupier.noise.Statistics;
import io.croupier.schemas.SubExponential;
import java.util.Arrays;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Two copies of a device, resumed from one snapshot, don't add the same noise to two gradients:
 * otherwise the difference of their releases would be that of the gradients.
 */
class CopiedProcessTest {
  private static final int DIMENSION = 9;
  private static final GradientGrid GRID = new GradientGrid(1, DIMENSION, -16);

  /** A coordinate takes more than 1000 values with nearly equal probabilities. */
  private static void assertCopiesDiffer(Function<SecureBits, GridRandomiser> maker) {
    SecureBits bits = new SecureBits();
    SecureBits copied = InsecureNoise.copy(bits);
    GridRandomiser one = maker.apply(bits);
    GridRandomiser other = maker.apply(copied);
    double[] gradient = new double[DIMENSION];
    for (int release = 0; release < 3; release++) {
      // False alarm: below 1000^-9.
      assertThat(one.randomise(gradient))
          .as("release %s", release)
          .isNotEqualTo(other.randomise(gradient));
    }
    assertCopiesOfTestsAgree(maker, gradient);
  }

  /** Shows that the comparison above detects equal releases. */
  private static void assertCopiesOfTestsAgree(
      Function<SecureBits, GridRandomiser> maker, double[] gradient) {
    assertThat(maker.apply(Statistics.seeded(3)).randomise(gradient))
        .isEqualTo(maker.apply(Statistics.seeded(3)).randomise(gradient));
  }

  @Test
  void gaussian() {
    assertCopiesDiffer(bits -> new GaussianRandomiser(GRID, 1, bits));
  }

  @Test
  void l2Laplace() {
    assertCopiesDiffer(bits -> new L2LaplaceRandomiser(GRID, 1, bits));
  }

  @Test
  void coordinateLaplace() {
    double[] taus = new double[DIMENSION];
    Arrays.fill(taus, 1);
    assertCopiesDiffer(bits -> new CoordinateLaplaceRandomiser(GRID, taus, ClippingNorm.L2, bits));
  }

  @Test
  void undisclosed() {
    assertCopiesDiffer(
        bits -> new UndisclosedRandomiser(new OwnRandomiser(GRID, new Uniform(), bits)));
  }

  private static final class Uniform implements SymmetricNoise {
    @Override
    public void draw(RandomGenerator random, double[] noise) {
      for (int i = 0; i < noise.length; i++) {
        noise[i] = random.nextDouble(-1, 1);
      }
    }

    @Override
    public double directionalVariance() {
      return 1.0 / 3;
    }

    @Override
    public SubExponential subExponential() {
      return SubExponential.newBuilder().setVariance(1).setBetaMax(1).build();
    }

    @Override
    public ReleaseCost cost() {
      return ReleaseCost.UNKNOWN;
    }
  }
}
