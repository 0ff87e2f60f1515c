package io.croupier.client.randomiser;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.ResponseLaw;
import io.croupier.noise.EnumeratedDraws;
import io.croupier.noise.EnumeratedDraws.Law;
import io.croupier.noise.Rational;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The draws of pure local privacy, without sampling: the code runs on every sequence of outcomes of
 * its draws, and probabilities are added up as fractions. {@code UniformIntegersTest} has the draws
 * themselves.
 */
class IndexDrawProofTest {
  private static final int TERMS = 80;

  /** exp(epsilon) is more than this, by less than a relative 1e-18. */
  private static Rational odds(BigDecimal epsilon) {
    return new Rational(epsilon.unscaledValue(), BigInteger.TEN.pow(epsilon.scale()))
        .expFromBelow(TERMS);
  }

  /**
   * With K of N indices accepted for certain and the others with probability c, n rounds return an
   * index of the top with probability (1 - r^n) / (K + (N - K) c), r that of refusal in one round,
   * and each other index with c times that. So c is the ratio of the two after any number of
   * rounds, and in the law itself.
   */
  @ParameterizedTest
  @CsvSource({"4, 1, 1", "4, 2, 0.5", "5, 4, 3", "8, 3, 2", "8, 1, 16", "3, 1, 0.000000001"})
  void theIndexHasItsLaw(int candidates, int count, double epsilon) {
    boolean[] top = new boolean[candidates];
    for (int k = 0; k < count; k++) {
      top[(3 * k + 1) % candidates] = true;
    }
    long acceptance = PrivUnitRandomiser.acceptance(epsilon);
    Rational coin = Rational.ofWords(acceptance);
    Rational accepted =
        Rational.of(count, candidates)
            .plus(Rational.of(candidates - count, candidates).times(coin));
    Rational refused = Rational.ONE.minus(accepted);
    for (int rounds = 1; rounds <= 3; rounds++) {
      Law<Integer> law =
          EnumeratedDraws.upTo(
              2 * rounds, draws -> PrivUnitRandomiser.draw(top, draws, acceptance));
      assertThat(law.unresolved()).isEqualTo(refused.power(rounds));
      Rational ofTop =
          Rational.ONE
              .minus(law.unresolved())
              .dividedBy(accepted)
              .times(Rational.of(1, candidates));
      for (int index = 0; index < candidates; index++) {
        assertThat(law.of(index)).isEqualTo(top[index] ? ofTop : ofTop.times(coin));
      }
    }
  }

  /** Rounded up, so that no index is more than exp(epsilon) times as likely as another one. */
  @Tag("ci")
  @Test
  void theCoinOfTheIndexIsExpRoundedUp() {
    Rational slack = Rational.of(1_000_000_000_001L, 1_000_000_000_000L);
    SplittableRandom random = new SplittableRandom(1);
    for (int n = 0; n < 1000; n++) {
      double level = n == 0 ? 16 : n == 1 ? 1e-9 : Math.exp(random.nextDouble(-20, 2.77));
      BigDecimal epsilon = ReleaseCost.decimal(level).setScale(9, RoundingMode.DOWN);
      if (epsilon.signum() == 0) {
        continue;
      }
      Rational odds = odds(epsilon);
      Rational product =
          Rational.ofWords(PrivUnitRandomiser.acceptance(epsilon.doubleValue())).times(odds);
      assertThat(product).as("%s", epsilon).isGreaterThanOrEqualTo(Rational.ONE);
      assertThat(product).as("%s", epsilon).isLessThanOrEqualTo(slack);
    }
  }

  /** The true bit is at most exp(epsilon) times as likely as the inverted one. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-9, 0.001, 0.1, 0.5, 1, 2, 3.7, 8, 16})
  void theBitHasItsLaw(double epsilon) {
    ResponseLaw response = ResponseLaw.ofEpsilon(epsilon);
    Rational flipped = Rational.ofWords(response.flips());
    for (boolean answer : new boolean[] {true, false}) {
      Law<Boolean> law =
          EnumeratedDraws.upTo(1, draws -> BitRandomiser.draw(answer, draws, response));
      assertThat(law.unresolved()).isEqualTo(Rational.ZERO);
      assertThat(law.of(!answer)).isEqualTo(flipped);
      assertThat(law.of(answer)).isEqualTo(Rational.ONE.minus(flipped));
    }
    Rational ratio = Rational.ONE.minus(flipped).dividedBy(flipped);
    Rational odds = odds(ReleaseCost.decimal(epsilon));
    assertThat(ratio).isLessThanOrEqualTo(odds);
    assertThat(ratio.times(Rational.of(1_000_000_000_001L, 1_000_000_000_000L)))
        .isGreaterThanOrEqualTo(odds);
  }
}
