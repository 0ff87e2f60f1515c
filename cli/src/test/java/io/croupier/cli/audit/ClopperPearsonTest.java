package io.croupier.cli.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.apache.commons.math3.distribution.BinomialDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClopperPearsonTest {

  @Test
  void extremeCountsHaveAClosedForm() {
    assertThat(ClopperPearson.lower(0, 500_000, 1e-7)).isZero();
    assertThat(ClopperPearson.upper(0, 500_000, 1e-7))
        .isCloseTo(-Math.expm1(Math.log(1e-7) / 500_000), within(1e-12));
    assertThat(ClopperPearson.upper(500_000, 500_000, 1e-7)).isEqualTo(1);
    assertThat(ClopperPearson.lower(500_000, 500_000, 1e-7))
        .isCloseTo(Math.exp(Math.log(1e-7) / 500_000), within(1e-12));
  }

  /** By definition: at the bound, the observed count or a more extreme one has this probability. */
  @ParameterizedTest
  @CsvSource({"10, 100, 0.025", "8, 500000, 2.5e-7", "250000, 500000, 2.5e-7", "99, 100, 1e-9"})
  void tailsAtTheBoundsHaveTheRequestedProbability(int seen, int trials, double falseAlarm) {
    double lower = ClopperPearson.lower(seen, trials, falseAlarm);
    double upper = ClopperPearson.upper(seen, trials, falseAlarm);

    assertThat(lower).isLessThan((double) seen / trials);
    assertThat(upper).isGreaterThan((double) seen / trials);
    double orMore =
        1 - new BinomialDistribution(null, trials, lower).cumulativeProbability(seen - 1);
    double orFewer = new BinomialDistribution(null, trials, upper).cumulativeProbability(seen);
    assertThat(orMore / falseAlarm).isCloseTo(1, within(1e-4));
    assertThat(orFewer / falseAlarm).isCloseTo(1, within(1e-4));
  }
}
