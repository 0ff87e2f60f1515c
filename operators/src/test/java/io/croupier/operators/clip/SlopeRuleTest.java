package io.croupier.operators.clip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SlopeRuleTest {

  @Test
  void isOneHalfBeforeTheFirstStep() {
    assertThat(SlopeRule.share(0, 0)).isEqualTo(0.5);
    assertThat(SlopeRule.share(3, 0)).isEqualTo(0.5);
  }

  /** 10 sqrt(a / t) is 1/2 where t = 400 a. */
  @Test
  void staysOneHalfWhileNoiseDominates() {
    assertThat(SlopeRule.share(4, 1)).isEqualTo(0.5);
    assertThat(SlopeRule.share(4, 1599)).isEqualTo(0.5);
    assertThat(SlopeRule.share(4, 1600)).isEqualTo(0.5);
    assertThat(SlopeRule.share(4, 1601)).isGreaterThan(0.5).isLessThan(0.501);
  }

  @Test
  void tendsToOne() {
    assertThat(SlopeRule.share(4, 40_000)).isCloseTo(0.9, within(1e-15));
    assertThat(SlopeRule.share(4, 4_000_000)).isCloseTo(0.99, within(1e-15));
    assertThat(SlopeRule.share(0, 1)).isEqualTo(1);
    assertThat(SlopeRule.share(4, Long.MAX_VALUE)).isLessThanOrEqualTo(1).isGreaterThan(0.99999);
  }

  @Test
  void extremesAreNeverNaN() {
    assertThat(SlopeRule.share(Double.MAX_VALUE, 1)).isEqualTo(0.5);
    assertThat(SlopeRule.share(Double.POSITIVE_INFINITY, 1)).isEqualTo(0.5);
    assertThat(SlopeRule.share(Double.MIN_VALUE, Long.MAX_VALUE)).isEqualTo(1);
  }

  @Test
  void refusesValuesWithoutMeaning() {
    for (double squaredNorm : new double[] {Double.NaN, -1}) {
      assertThatThrownBy(() -> SlopeRule.share(squaredNorm, 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("at least 0");
    }
    assertThatThrownBy(() -> SlopeRule.share(1, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 0");
  }
}
