package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RoundWeightsTest {
  private final RoundWeights weights = new RoundWeights();

  @ParameterizedTest
  @ValueSource(ints = {1, 50, 1 << 30})
  void roundsOfOneSizeAllCountTheSame(int reports) {
    for (int i = 0; i < 100; i++) {
      assertThat(weights.exponent(reports)).isZero();
      weights.observe(reports, 1.0 / (i + 1));
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 3, 0", "1, 4, 1", "1, 16, 2", "1, 1000, 2", "1, 1073741823, 2", "20, 100, 1"})
  void theWeightUndoesHowTheMeanShrinksPureNoise(int few, int many, int exponent) {
    weights.observe(few, 7);
    weights.observe(many, 7.0 * few / many);

    assertThat(weights.exponent(many)).isEqualTo(exponent);
    assertThat(weights.exponent(few)).isZero();
  }

  @Test
  void whereTheSignalDominatesAllRoundsCountTheSame() {
    weights.observe(1, 1.5);
    weights.observe(1000, 1);

    assertThat(weights.exponent(1000)).isZero();
  }

  @Test
  void aSizeWithoutRoundsTakesTheWeightOfTheNextSmallerOne() {
    assertThat(weights.exponent(1000)).isZero();
    weights.observe(1, 1);
    assertThat(weights.exponent(1000)).isZero();
    weights.observe(16, 1.0 / 16);

    assertThat(weights.exponent(1000)).isEqualTo(2);
  }

  /** Or else a single small round, closed by a timeout, would change the weight of all others. */
  @Test
  void theSizeOfTheFirstRoundStaysTheUnit() {
    weights.observe(16, 1);
    weights.observe(1, 16);

    assertThat(weights.exponent(16)).isZero();
    assertThat(weights.exponent(1)).isZero();
  }

  @Test
  void gradientsOfZeroKeepTheLargestWeightThatTheSizeAllows() {
    weights.observe(1, 1);
    weights.observe(64, 0);

    assertThat(weights.exponent(4)).isZero();
    assertThat(weights.exponent(64)).isEqualTo(2);
    assertThat(weights.exponent(1 << 30)).isEqualTo(RoundWeights.WEIGHTS - 1);
  }
}
