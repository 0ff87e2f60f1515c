package io.croupier.operators.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SimplexTest {

  @Test
  void aPointOfTheSimplexStays() {
    assertThat(Simplex.nearest(new double[] {0.5, 0.25, 0.25})).containsExactly(0.5, 0.25, 0.25);
    assertThat(Simplex.nearest(new double[] {3})).containsExactly(1);
  }

  @Test
  void exampleByHand() {
    assertThat(Simplex.nearest(new double[] {0.9, -0.1, 0.4}))
        .containsExactly(new double[] {0.75, 0, 0.25}, within(1e-15));
    assertThat(Simplex.nearest(new double[] {-5, -5})).containsExactly(0.5, 0.5);
  }

  /**
   * The gradient of the distance is the same in all coordinates above 0, and at most that in
   * others.
   */
  @Test
  void theConditionsOfTheMinimumHold() {
    SplittableRandom random = new SplittableRandom(1);
    for (int n = 0; n < 2000; n++) {
      double[] from = random.doubles(1 + n % 40, -0.5, 1).toArray();
      double[] to = Simplex.nearest(from);
      assertThat(Arrays.stream(to).sum()).isCloseTo(1, within(1e-12));
      double threshold = Double.NaN;
      for (int j = 0; j < to.length; j++) {
        threshold = to[j] > 0 ? from[j] - to[j] : threshold;
      }
      for (int j = 0; j < to.length; j++) {
        assertThat(to[j]).isCloseTo(Math.max(0, from[j] - threshold), within(1e-12));
      }
    }
  }
}
