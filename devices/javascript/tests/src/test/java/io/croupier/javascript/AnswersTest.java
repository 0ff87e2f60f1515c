package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.ResponseLaw;
import io.croupier.noise.Decimals;
import io.croupier.noise.Statistics;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.SplittableRandom;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The randomised bit, against the law of the Java client. */
class AnswersTest extends BrowserFixture {
  private static Value randomiser(double epsilon) {
    return browser.call(
        "(module, epsilon, crypto) => new module.RandomisedResponse({epsilon, crypto})",
        epsilon,
        browser.crypto(Statistics.seeded(5)));
  }

  /** 1 / (1 + exp(epsilon)), rounded up by less than the Java client rounds. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-9, 1e-3, 0.1, 0.3, 1, 2, 3.7, 8, 13.123456789, 16})
  void theProbabilityIsRoundedTowardsOneHalf(double epsilon) {
    BigDecimal odds = Decimals.exp(BigDecimal.valueOf(epsilon));
    BigDecimal exact =
        new BigDecimal(BigInteger.TWO.pow(63)).divide(odds.add(BigDecimal.ONE), Decimals.DIGITS);
    Value units = browser.internal("nanos").execute(epsilon);
    BigDecimal flips = new BigDecimal(browser.internal("flips").execute(units).asBigInteger());
    assertThat(flips).isGreaterThanOrEqualTo(exact);
    assertThat(flips)
        .isLessThanOrEqualTo(BigDecimal.valueOf(ResponseLaw.ofEpsilon(epsilon).flips()));
  }

  /** The words of a generator decide alone. */
  @Test
  void drawsByTheStatedThreshold() {
    Value randomiser = randomiser(1);
    long flips = ResponseLaw.ofEpsilon(1).flips();
    for (int n = 0; n < 500; n++) {
      boolean flipped = Statistics.seeded(n).getAsLong() >>> 1 < flips;
      browser.words(Statistics.seeded(n));
      assertThat(randomiser.invokeMember("release", n % 2 == 0).asBoolean())
          .isEqualTo((n % 2 == 0) ^ flipped);
    }
  }

  /** Seeds are fixed; were they new, a false alarm would have a probability of at most 1e-8. */
  @Tag("ci")
  @Test
  void invertsWithTheStatedProbability() {
    SplittableRandom random = new SplittableRandom(6);
    for (double epsilon : new double[] {0.1, 1, 4}) {
      Value randomiser = randomiser(epsilon);
      browser.words(random::nextLong);
      for (boolean answer : new boolean[] {true, false}) {
        long[] observed = new long[2];
        for (int i = 0; i < 2000; i++) {
          observed[randomiser.invokeMember("release", answer).asBoolean() == answer ? 1 : 0]++;
        }
        double flip = 1 / (1 + Math.exp(epsilon));
        Statistics.assertFrequencies("bits", observed, new double[] {flip, 1 - flip});
      }
    }
  }
}
