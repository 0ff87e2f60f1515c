package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.client.randomiser.ReleaseCost;
import io.croupier.client.randomiser.SeededRandomisers;
import io.croupier.noise.CandidateVectors;
import io.croupier.noise.Decimals;
import io.croupier.noise.SecureBits;
import io.croupier.noise.Statistics;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The randomiser of gradients against that of the Java client, draw for draw, and against its law.
 * Seeds are fixed. Were they new on every run, a false alarm of this class would have a probability
 * below 1e-7: 1.25e-9 for each of at most 40 assertions about a sample.
 */
class PrivUnitTest extends BrowserFixture {
  /** A randomiser whose words come from the supplier that the browser was given last. */
  private static Value randomiser(int d, double epsilon, int candidates) {
    int top = new PrivUnitLaws().best(d, epsilon, candidates).top();
    return randomiser(d, epsilon, candidates, top);
  }

  private static Value randomiser(double d, double epsilon, int candidates, double top) {
    return browser.call(
        "(module, dimension, epsilon, candidates, top, crypto) =>"
            + " new module.PrivUnit({dimension, epsilon, candidates, top, crypto})",
        d,
        epsilon,
        candidates,
        top,
        browser.crypto(Statistics.seeded(1)));
  }

  private static PrivUnitRandomiser.Choice choose(Value randomiser, double[] gradient, double g) {
    Value choice = randomiser.invokeMember("choose", browser.array(gradient), g);
    return new PrivUnitRandomiser.Choice(
        choice.getMember("seed").asBigInteger().longValue(), choice.getMember("index").asInt());
  }

  /** The module reads words in blocks; the rest of the seed's block is not used. */
  private static SecureBits afterTheSeed(int stream) {
    SecureBits bits = Statistics.seeded(stream);
    for (int word = 0; word < 64; word++) {
      bits.getAsLong();
    }
    return bits;
  }

  /** Every release is that of the Java client with the same bits: seed, ranking, index. */
  @ParameterizedTest
  @CsvSource({"1, 1, 64", "3, 2.5, 256", "2, 12, 4096", "4, 0.000000001, 64"})
  void drawsWhatTheJavaClientDraws(int d, double epsilon, int candidates) {
    assertSameDraws(d, epsilon, candidates);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"2, 0.25, 64", "8, 1, 256", "5, 8, 256", "20, 4, 64", "1, 16, 4096"})
  void drawsWhatTheJavaClientDrawsAtMoreLevels(int d, double epsilon, int candidates) {
    assertSameDraws(d, epsilon, candidates);
  }

  private static void assertSameDraws(int d, double epsilon, int candidates) {
    Value randomiser = randomiser(d, epsilon, candidates);
    SplittableRandom random = new SplittableRandom(d);
    int releases = Math.max(4, 1600 / candidates);
    for (int n = 0; n < releases; n++) {
      double[] gradient = new double[d];
      double size = n % 3 == 0 ? 2 : 0.3;
      Arrays.setAll(gradient, j -> size * (random.nextDouble() - 0.5));
      if (n == 1) {
        gradient[0] = Double.NaN;
      }
      browser.words(Statistics.seeded(1000 + n));
      PrivUnitRandomiser same =
          SeededRandomisers.privUnit(
              0.5, d, epsilon, candidates, Statistics.seeded(1000 + n), afterTheSeed(1000 + n));
      assertThat(choose(randomiser, gradient, 0.5)).isEqualTo(same.choose(gradient));
    }
  }

  /**
   * At all levels that the device takes, its top is one that the job accepts, and nearly the best.
   */
  @ParameterizedTest
  @CsvSource({"64, 9", "256, 11", "1024, 14", "4096, 16"})
  void releasesAreNearlyAsShortAsTheyCanBe(int candidates, double most) {
    PrivUnitLaws laws = new PrivUnitLaws();
    Value top = browser.internal("defaultTop");
    for (int d : new int[] {1, 2, 3, 8, 20, 100, 10_000, 1_000_000}) {
      for (double epsilon = most; epsilon > 1e-9; epsilon = epsilon > 0.5 ? epsilon - 0.5 : 1e-9) {
        String what = "d " + d + ", epsilon " + epsilon + ", candidates " + candidates;
        PrivUnitLaw law =
            laws.of(d, epsilon, candidates, top.execute(d, epsilon, candidates).asInt());
        assertThat(law.top()).as(what).isEqualTo(laws.near(d, epsilon, candidates).top());
        assertThat(law.isNearOptimum()).as(what).isTrue();
        assertThat(law.scale())
            .as(what)
            .isLessThan(1.025 * laws.best(d, epsilon, candidates).scale());
      }
    }
  }

  /** The probability of an index outside the top is at least exp(-epsilon) times that in it. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-9, 1e-3, 0.1, 1.0 / 3, 1, 2, 3.7, 8, 13.123456789, 16})
  void theCoinIsRoundedUpByAtMost1em12OfIt(double epsilon) {
    BigDecimal declared = ReleaseCost.decimal(epsilon).setScale(9, RoundingMode.DOWN);
    BigDecimal exact =
        new BigDecimal(BigInteger.TWO.pow(63)).divide(Decimals.exp(declared), Decimals.DIGITS);
    Value units = browser.internal("nanos").execute(epsilon);
    assertThat(units.asBigInteger()).isEqualTo(declared.unscaledValue());
    BigDecimal acceptance =
        new BigDecimal(browser.internal("acceptance").execute(units).asBigInteger());
    assertThat(acceptance).isGreaterThanOrEqualTo(exact);
    assertThat(acceptance).isLessThanOrEqualTo(exact.multiply(new BigDecimal("1.000000000001")));
  }

  @Test
  void decimalsAreThoseOfTheJavaClient() {
    SplittableRandom random = new SplittableRandom(4);
    for (int n = 0; n < 500; n++) {
      double level = Math.pow(10, 12 * random.nextDouble() - 10);
      level = n % 2 == 0 ? level : Math.round(level * 1e4) / 1e4;
      assertThat(browser.internal("nanos").execute(level).asBigInteger())
          .as("%s", level)
          .isEqualTo(ReleaseCost.decimal(level).setScale(9, RoundingMode.DOWN).unscaledValue());
    }
  }

  /** The law of the index for a fixed top, exactly: a chi-square over all indices. */
  @ParameterizedTest
  @CsvSource({"0.25, 5", "1, 5", "0.000000001, 2"})
  void indicesHaveTheirLaw(double epsilon, int count) {
    assertIndices(epsilon, count);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"2.5, 1", "4, 8"})
  void indicesHaveTheirLawAtHighLevels(double epsilon, int count) {
    assertIndices(epsilon, count);
  }

  private static void assertIndices(double epsilon, int count) {
    int draws = 8_000;
    Value observed =
        browser.callInternals(
            "(i, crypto, epsilon, count, draws) => {"
                + " const words = new i.Words(crypto);"
                + " const coin = i.acceptance(i.nanos(epsilon));"
                + " const top = new Uint8Array(16);"
                + " for (let k = 0; k < count; k++) { top[(5 * k + 2) % 16] = 1; }"
                + " const observed = new Float64Array(16);"
                + " for (let n = 0; n < draws; n++) { observed[i.drawIndex(top, words, coin)]++; }"
                + " return observed; }",
            browser.crypto(new SplittableRandom(10)::nextLong), epsilon, count, draws);
    double odds = Math.exp(epsilon);
    double all = count * odds + 16 - count;
    double[] probabilities = new double[16];
    Arrays.fill(probabilities, 1 / all);
    for (int k = 0; k < count; k++) {
      probabilities[(5 * k + 2) % 16] = odds / all;
    }
    long[] counts = Arrays.stream(Browser.doubles(observed)).mapToLong(Math::round).toArray();
    Statistics.assertFrequencies("indices", counts, probabilities);
  }

  @Tag("thorough")
  @Test
  void uniformIntegersHaveTheirLaw() {
    Value words =
        browser.internal("Words").newInstance(browser.crypto(new SplittableRandom(11)::nextLong));
    for (int bound : new int[] {1, 3, 7, 12}) {
      long[] observed = new long[bound];
      for (int n = 0; n < 5000; n++) {
        observed[words.invokeMember("below", bound).asInt()]++;
      }
      double[] probabilities = new double[bound];
      Arrays.fill(probabilities, 1.0 / bound);
      Statistics.assertFrequencies("below " + bound, observed, probabilities);
    }
  }

  /** Unbiased along and across the gradient, with the variances of its law. */
  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"1, 1, 64, 0.3", "2, 8, 64, 0.3", "2, 2, 64, 1", "3, 4, 64, 0"})
  void isUnbiasedWithTheVariancesOfItsLaw(int d, double epsilon, int candidates, double length) {
    double g = 0.5;
    Value randomiser = randomiser(d, epsilon, candidates);
    browser.words(new SplittableRandom(12)::nextLong);
    PrivUnitLaw law = new PrivUnitLaws().best(d, epsilon, candidates);
    double[] gradient = new double[d];
    gradient[0] = length * g;
    int count = 2_000;
    double[] alongs = new double[count];
    double[] acrosses = new double[count];
    for (int n = 0; n < count; n++) {
      Value choice = randomiser.invokeMember("choose", browser.array(gradient), g);
      double[] values = new double[d];
      CandidateVectors.expand(
          choice.getMember("seed").asBigInteger().longValue(),
          choice.getMember("index").asInt(),
          law.scale() * g,
          values);
      alongs[n] = values[0] / g;
      acrosses[n] = values[d - 1] / g;
    }
    double variance =
        law.varianceAcross() + (law.varianceAlong() - law.varianceAcross()) * length * length;
    Statistics.assertMoments("along", alongs, length, variance, law.scale(), 0);
    if (d > 1) {
      Statistics.assertMoments("across", acrosses, 0, law.varianceAcross(), law.scale(), 0);
    }
  }

  @Test
  void theTopIsThatOfTheJavaClientWhateverTheHeights() {
    double nan = Double.NaN;
    double[][] cases = {
      {0, 0, 0, 0, 0},
      {nan, nan, nan, nan, nan},
      {1, -2, nan, 0.5, -0.0},
      {-1, 1, -1, 1, -1},
      {Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, nan, 0, 1},
      {0.1, -0.9, 0.5, -0.5, 0.5, 0.2},
    };
    for (double[] heights : cases) {
      for (int k = 1; k <= heights.length; k++) {
        Value top = browser.internal("topOf").execute(browser.array(heights), k);
        boolean[] expected = SeededRandomisers.top(heights, k);
        boolean[] actual = new boolean[expected.length];
        IntStream.range(0, actual.length)
            .forEach(j -> actual[j] = top.getArrayElement(j).asInt() == 1);
        assertThat(actual).as("%s of %s", k, Arrays.toString(heights)).isEqualTo(expected);
      }
    }
  }

  @Test
  void liftsAsTheJavaClient() {
    double[][] gradients = {
      {0, 0},
      {0.3, 0, 0.4},
      {3, 0, -4},
      {1e300, 0, -1e300},
      {Double.MIN_VALUE, 0, Double.MIN_VALUE},
      {Double.NaN, 0, 1},
      {1, Double.NaN, 1},
      {1, 1, Double.NEGATIVE_INFINITY},
      {Double.MAX_VALUE, -Double.MAX_VALUE},
    };
    for (double[] gradient : gradients) {
      for (double bound : new double[] {1, 0.5, 1e-300, Double.MIN_VALUE}) {
        assertThat(
                Browser.doubles(browser.internal("lift").execute(browser.array(gradient), bound)))
            .as("%s, %s", Arrays.toString(gradient), bound)
            .containsExactly(SeededRandomisers.lift(gradient, bound));
      }
    }
  }

  /** The seed is a function of the generator alone. */
  @Test
  void theSeedDoesNotDependOnTheGradient() {
    Value randomiser = randomiser(2, 8, 64);
    for (int n = 0; n < 30; n++) {
      browser.words(Statistics.seeded(n));
      long seed = choose(randomiser, new double[2], 1).seed();
      assertThat(seed).isEqualTo(Statistics.seeded(n).getAsLong());
      browser.words(Statistics.seeded(n));
      assertThat(choose(randomiser, new double[] {Math.sin(n), Math.cos(n)}, 1).seed())
          .isEqualTo(seed);
    }
  }

  /** No call of the generator gives both words of a seed and words of an index. */
  @Test
  void theSeedAndTheIndexComeFromDifferentCallsOfTheGenerator() {
    Value calls =
        browser.call(
            "(module) => { const calls = [];"
                + " const crypto = { getRandomValues(block) {"
                + " calls.push(calls.length + 1); block.fill(calls.length); return block; } };"
                + " const one = new module.PrivUnit({dimension: 2, epsilon: 1, crypto});"
                + " const { seed } = one.choose([0, 0], 1);"
                + " return { seed, calls: calls.length }; }");
    assertThat(calls.getMember("seed").asBigInteger()).isEqualTo(0x1_0000_0001L);
    assertThat(calls.getMember("calls").asInt()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 64, 1",
    "2, 0, 64, 1",
    "2, NaN, 64, 1",
    "2, 16.5, 4096, 1",
    "2, 1e-10, 64, 1",
    "2, 1, 65, 1",
    "2, 9.1, 64, 1",
    "2, 14.1, 1024, 1",
    "1.5, 1, 64, 1",
    "2, 1, 64, 0",
    "2, 1, 64, 33",
    "2, 1, 64, 1.5",
    "2, 1, 64, NaN"
  })
  void refusesWhatIsOutOfRange(double d, double epsilon, int candidates, double top) {
    assertThatThrownBy(() -> randomiser(d, epsilon, candidates, top))
        .hasMessageContaining("it must be");
  }

  @Test
  void refusesToDrawWithoutACryptographicGenerator() {
    assertThatThrownBy(
            () -> browser.call("(module) => new module.PrivUnit({dimension: 1, epsilon: 1})"))
        .hasMessageContaining("crypto is undefined");
  }
}
