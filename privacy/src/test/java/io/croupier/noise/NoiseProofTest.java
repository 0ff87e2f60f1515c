package io.croupier.noise;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.noise.EnumeratedDraws.Law;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The laws of {@link ExponentialCoins} and {@link ExactNoise} for small parameters, without
 * sampling: the code runs on every sequence of outcomes of its draws, and probabilities are added
 * up as fractions. {@link UniformIntegersTest} has the draws themselves.
 */
class NoiseProofTest {
  /**
   * Within k events, the coin exp(-x) is true and false with the probabilities of the terms of its
   * series up to x^k / k!, and unresolved with that term. As k grows, they tend to exp(-x) and 1 -
   * exp(-x).
   */
  @ParameterizedTest
  @CsvSource({"0, 1", "1, 1", "1, 2", "2, 3", "3, 7", "1, 18", "17, 18"})
  void theCoinHasTheTermsOfItsSeries(long numerator, long denominator) {
    // The first event takes one draw, each other one two.
    assertCoin(
        Rational.of(numerator, denominator),
        k -> 2 * k - 1,
        coins -> coins.survives(numerator, denominator));
  }

  /** Its first event is certain, and takes no draw. */
  @Test
  void theCoinOfOneHasTheTermsOfItsSeries() {
    assertCoin(Rational.ONE, k -> k - 1, ExponentialCoins::survives);
  }

  private static void assertCoin(
      Rational x, IntFunction<Integer> draws, Predicate<ExponentialCoins> coin) {
    Rational term = Rational.ONE;
    Rational[] expected = {Rational.ZERO, Rational.ZERO};
    for (int k = 1; k <= 10; k++) {
      Rational next = term.times(x).dividedBy(Rational.of(k, 1));
      // The k-th event is the first that doesn't occur.
      expected[k % 2] = expected[k % 2].plus(term.minus(next));
      term = next;
      Law<Boolean> law =
          EnumeratedDraws.upTo(draws.apply(k), all -> coin.test(new ExponentialCoins(all)));
      assertThat(law.of(true)).isEqualTo(expected[1]);
      assertThat(law.of(false)).isEqualTo(expected[0]);
      assertThat(law.unresolved()).isEqualTo(term);
    }
  }

  /**
   * Coins of probability t^n in place of exp(-n / unit), each one draw. What is shown of noise is
   * an identity of power series in t, so t may be any fraction, where exp(-1 / unit) is none.
   */
  private static final class CoinsOfPowers extends ExponentialCoins {
    private final EnumeratedDraws draws;
    private final Rational t;
    private final int unit;

    CoinsOfPowers(EnumeratedDraws draws, Rational t, int unit) {
      super(draws);
      this.draws = draws;
      this.t = t;
      this.unit = unit;
    }

    @Override
    boolean survives(long numerator, long denominator) {
      assertThat(unit % denominator).isZero();
      return draws.isTrue(t.power(Math.toIntExact(numerator * unit / denominator)));
    }

    @Override
    boolean survives() {
      return draws.isTrue(t.power(unit));
    }
  }

  private static Law<Long> law(Rational t, int unit, int draws, Function<ExactNoise, Long> trial) {
    return EnumeratedDraws.upTo(
        draws, all -> trial.apply(new ExactNoise(all, new CoinsOfPowers(all, t, unit))));
  }

  /**
   * In units of 1 / scale. A trial is y with the probability (1 - t^scale) / (2 scale) t^|y|, so
   * what isn't refused has the law t^|y|.
   */
  @ParameterizedTest
  @CsvSource({"1, 1, 2", "1, 2, 3", "2, 1, 2", "2, 3, 5", "3, 3, 5", "5, 4, 5", "8, 9, 10"})
  void laplaceHasItsLaw(int scale, long numerator, long denominator) {
    Rational t = Rational.of(numerator, denominator);
    // The part, its coin, up to 10 scales, the coin that ends them, and the sign.
    Law<Long> law = law(t, scale, 14, noise -> noise.laplaceTrial(scale));
    Rational atZero = Rational.ONE.minus(t.power(scale)).dividedBy(Rational.of(2L * scale, 1));
    int reach = 11 * scale - 1;
    Rational sum = law.of(ExactNoise.REFUSED).plus(law.unresolved());
    for (long y = -reach; y <= reach; y++) {
      Rational stated = atZero.times(t.power(Math.toIntExact(Math.abs(y))));
      assertThat(law.of(y)).as("%s", y).isEqualTo(stated);
      sum = sum.plus(stated);
    }
    assertThat(law.results()).hasSize(2 * reach + 2);
    assertThat(sum).isEqualTo(Rational.ONE);
  }

  /**
   * In units of 1 / (2 sigma^2). A trial is y with a probability of t^(y^2), times the same factor
   * for all y: exp(-(y^2 + sigma^2) / (2 sigma^2)) times the constant of the proposal.
   */
  @ParameterizedTest
  @CsvSource({"1, 1, 2", "1, 2, 3", "2, 1, 2", "2, 4, 5", "3, 9, 10"})
  void gaussianHasItsLaw(int sigma, long numerator, long denominator) {
    Rational t = Rational.of(numerator, denominator);
    int unit = 2 * sigma * sigma;
    Law<Long> law = law(t, unit, 24, noise -> noise.gaussianTrial(sigma));
    Rational proposal = Rational.ONE.minus(t.power(unit)).dividedBy(Rational.of(2L * sigma, 1));
    Rational atZero = proposal.times(t.power(sigma * sigma));
    law.results()
        .forEach(
            (y, resolved) -> {
              if (y != ExactNoise.REFUSED) {
                int square = Math.toIntExact(y * y);
                assertThat(resolved).as("%s", y).isEqualTo(atZero.times(t.power(square)));
              }
            });
    for (long y = -4L * sigma; y <= 4L * sigma; y++) {
      assertThat(law.results()).containsKey(y);
    }
    Rational sum = law.results().values().stream().reduce(law.unresolved(), Rational::plus);
    assertThat(sum).isEqualTo(Rational.ONE);
  }
}
