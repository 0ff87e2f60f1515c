package io.croupier.operators.clip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SlopeRuleTest {

  @Test
  void isOneHalfAtTheInitialWeights() {
    assertThat(SlopeRule.share(0)).isEqualTo(0.5);
    assertThat(SlopeRule.share(Double.MIN_VALUE)).isEqualTo(0.5);
  }

  @Test
  void isTheSlopeOfTheLargestFalsePrediction() {
    assertThat(SlopeRule.share(Math.log(3))).isCloseTo(0.75, within(1e-15));
    assertThat(SlopeRule.share(Math.log(9))).isCloseTo(0.9, within(1e-15));
    assertThat(SlopeRule.share(1e-6)).isCloseTo(0.5 + 2.5e-7, within(1e-15));
  }

  @Test
  void tendsToOne() {
    assertThat(SlopeRule.share(1e3)).isEqualTo(1);
    assertThat(SlopeRule.share(Double.POSITIVE_INFINITY)).isEqualTo(1);
  }

  @Test
  void ofARoundIsThatOfItsLargestPrediction() {
    // |w| = 5, and features of norm 0.2 / 0.5.
    assertThat(SlopeRule.share(new double[] {3, 0, -4}, 0.2, 0.5, 1)).isEqualTo(SlopeRule.share(2));
    assertThat(SlopeRule.share(new double[3], 1e100, Double.MIN_VALUE, 1)).isEqualTo(0.5);
    assertThat(SlopeRule.share(new double[] {1e300, 0}, 1e100, 1e-100, 1)).isEqualTo(1);
  }

  @Test
  void isSmallerWhereReportsAreMostlyNoise() {
    assertThat(SlopeRule.share(new double[] {3, 0, -4}, 0.2, 0.5, 0.125))
        .isEqualTo(SlopeRule.share(0.25));
  }

  @Test
  void refusesValuesWithoutMeaning() {
    for (double prediction : new double[] {Double.NaN, -1}) {
      assertThatThrownBy(() -> SlopeRule.share(prediction))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("at least 0");
    }
  }
}
