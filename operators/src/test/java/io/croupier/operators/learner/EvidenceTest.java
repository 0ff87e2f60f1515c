package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EvidenceTest {
  @Test
  void theEvidenceOfNoRoundsIsTheSumOfTheBets() {
    // sum_k 3 / ((k + 3)(k + 4)) telescopes to 3 (1/3 - 1/35).
    assertThat(new Evidence().log()).isCloseTo(Math.log(3 * (1 / 3.0 - 1 / 35.0)), within(1e-15));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void betKPlacesTheFractionOfBetKMinusJOnARoundOfWeight2ToTheJ(int j) {
    Evidence evidence = new Evidence();
    evidence.observe(-0.1, j);
    evidence.observe(0.3, j);

    double sum = 0;
    for (int k = 0; k < Evidence.LEVELS; k++) {
      double delta = Math.scalb(0.28, -Math.max(k - j, 0));
      double v = delta / AdaptiveRadius.BALL;
      double c = 0.5 + delta + 2.8 * delta * delta;
      sum += 3.0 / ((k + 3) * (k + 4)) * Math.exp(v * -0.2 - c * v * v * (0.01 + 0.09));
    }
    assertThat(evidence.log()).isCloseTo(Math.log(sum), within(1e-14));
  }

  /** Coins of trimmed reports are at most 2 B in size, so x is at most 2 delta_k. */
  @Test
  void everyBetIsFairForEveryCoinOfTrimmedReports() {
    for (int k = 0; k < Evidence.LEVELS; k++) {
      double delta = Math.scalb(0.28, -k);
      double c = 0.5 + delta + 2.8 * delta * delta;
      for (int i = -1000; i <= 1000; i++) {
        double x = 2 * delta * i / 1000;
        assertThat(Math.log1p(x) - x + c * x * x)
            .as("bet %d, x = %s", k, x)
            .isGreaterThanOrEqualTo(-0x1p-52 * Math.abs(x));
      }
    }
  }

  /**
   * F starts at 32/35 and is a supermartingale for coins of mean 0, so it reaches 5 with
   * probability at most 0.183. More than 860 of 4000 runs have probability below 1e-6. The coins
   * are as large as those of trimmed reports can be, and mostly small wins, with rare large losses.
   */
  @Test
  void skewedNoiseSeldomBecomesEvidenceWhateverTheWeights() {
    SplittableRandom random = new SplittableRandom(5);
    int reached = 0;
    for (int run = 0; run < 4000; run++) {
      Evidence evidence = new Evidence();
      boolean reaches = false;
      for (int t = 0; t < 300 && !reaches; t++) {
        double size = Math.scalb(1.0, -random.nextInt(3));
        boolean loses = random.nextInt(5) == 0;
        evidence.observe(loses ? 4 * size : -size, random.nextInt(RoundWeights.WEIGHTS));
        reaches = evidence.log() >= Math.log(5);
      }
      reached += reaches ? 1 : 0;
    }
    assertThat(reached).isBetween(1, 860);
  }

  @Test
  void hugeCoinsGiveNoNaN() {
    Evidence evidence = new Evidence();
    for (int j = 0; j < RoundWeights.WEIGHTS; j++) {
      evidence.observe(-Double.MAX_VALUE, j);
      evidence.observe(1e-300, j);
      assertThat(evidence.log()).isNotNaN();
    }
  }
}
