package io.croupier.accounting;

import static io.croupier.noise.Refusals.assertRefusedWith;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.noise.Decimals;
import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseLawTest {

  /** Computed with Python's math.tanh and math.erf. */
  @ParameterizedTest
  @CsvSource({
    "1e-12, 5e-13", "0.5, 0.24491866240370913", "1, 0.46211715726000973",
    "2, 0.7615941559557649", "8, 0.999329299739067", "50, 1",
  })
  void strengthOfAnEpsilon(double epsilon, double strength) {
    assertThat(ResponseLaw.ofEpsilon(epsilon).strength())
        .isCloseTo(strength, within(1e-14 * strength));
  }

  @ParameterizedTest
  @CsvSource({
    "1e-12, 3.989422804014327e-13", "0.5, 0.1974126513658474", "1, 0.38292492254802624",
    "1.4, 0.5160726955538539", "1.42, 0.5222958638200265", "2, 0.6826894921370859",
    "6, 0.9973002039367398", "200, 1",
  })
  void strengthOfAMu(double mu, double strength) {
    assertThat(ResponseLaw.ofMu(mu).strength()).isCloseTo(strength, within(2e-13 * strength));
  }

  /** (1 - p) / p is at most exp(epsilon), in exact arithmetic. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-300, 1e-15, 1e-9, 0.1, 1, 2.5, 8, 16, 40, 43.5, 44, 700, 1e300})
  void theDrawIsAtLeastAsPrivateAsTheEpsilon(double epsilon) {
    long flips = ResponseLaw.ofEpsilon(epsilon).flips();
    assertThat(flips).isBetween(1L, 1L << 62);
    BigDecimal p = BigDecimal.valueOf(flips).divide(new BigDecimal(2).pow(63));
    BigDecimal odds = BigDecimal.ONE.subtract(p).divide(p, Decimals.DIGITS);
    // exp(epsilon) from its series in 60 digits; beyond 45, (1 - p) / p cannot reach it.
    if (epsilon < 45) {
      assertThat(odds).isLessThanOrEqualTo(Decimals.exp(new BigDecimal(epsilon)));
    }
    if (epsilon >= 1e-9 && epsilon <= 16) {
      assertThat(odds.doubleValue()).isCloseTo(Math.exp(epsilon), within(1e-11 * Math.exp(16)));
    }
  }

  /**
   * An epsilon-LDP response is the mu-GDP one of the tight mu of its epsilon, which is rounded up.
   */
  @ParameterizedTest
  @ValueSource(doubles = {1e-6, 0.01, 0.5, 1, 3, 8, 20})
  void bothLevelsAgree(double epsilon) {
    ResponseLaw pure = ResponseLaw.ofEpsilon(epsilon);
    ResponseLaw gaussian = ResponseLaw.ofMu(PureDp.mu(epsilon));
    assertThat(gaussian.strength()).isCloseTo(pure.strength(), within(1e-10 * pure.strength()));
    assertThat((double) gaussian.flips())
        .isCloseTo((double) pure.flips(), within(1e-9 * pure.flips() + 2));
  }

  @Test
  void theSeriesMeetsTheTail() {
    double mu = 0.5 * Math.sqrt(8);
    double below = ResponseLaw.ofMu(Math.nextDown(mu)).strength();
    assertThat(ResponseLaw.ofMu(Math.nextUp(mu)).strength()).isCloseTo(below, within(1e-14));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  void levelsArePositiveAndFinite(double level) {
    assertRefusedWith(
        () -> ResponseLaw.ofEpsilon(level),
        "epsilon is " + level + "; it must be positive and finite");
    assertRefusedWith(() -> ResponseLaw.ofMu(level), "mu is " + level);
  }
}
