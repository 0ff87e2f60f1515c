package io.croupier.client.randomiser;

import static io.croupier.noise.Refusals.assertRefusedWith;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.noise.CandidateVectors;
import io.croupier.noise.Decimals;
import io.croupier.noise.InsecureNoise;
import io.croupier.noise.SecureBits;
import io.croupier.noise.Statistics;
import io.croupier.noise.UniformIntegers;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.view.GradientReportView;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Seeds are fixed. Were they new on every run, a false alarm of this class would have a probability
 * below 1e-6, 1.25e-9 for each assertion about a sample.
 */
class PrivUnitRandomiserTest {
  private static final int COUNT = 200_000;

  private static PrivUnitRandomiser seeded(double g, int d, double epsilon, int candidates) {
    return seeded(g, d, epsilon, candidates, 3);
  }

  private static PrivUnitRandomiser seeded(
      double g, int d, double epsilon, int candidates, int seed) {
    return new PrivUnitRandomiser(
        g, d, epsilon, candidates, Statistics.seeded(256 + seed), Statistics.seeded(seed));
  }

  /** The law of the index for a fixed top, exactly: a chi-square over all indices. */
  @ParameterizedTest
  @CsvSource({"0.25, 5", "1, 5", "2.5, 1", "4, 8", "16, 3", "0.000000001, 2"})
  void indicesHaveTheirLaw(double epsilon, int count) {
    boolean[] top = new boolean[16];
    for (int i = 0; i < count; i++) {
      top[(5 * i + 2) % 16] = true;
    }
    UniformIntegers integers = InsecureNoise.integers(9);
    long[] observed = new long[16];
    long acceptance = PrivUnitRandomiser.acceptance(epsilon);
    for (int n = 0; n < COUNT; n++) {
      observed[PrivUnitRandomiser.draw(top, integers, acceptance)]++;
    }
    double odds = Math.exp(epsilon);
    double all = count * odds + 16 - count;
    double[] probabilities = new double[16];
    Arrays.setAll(probabilities, j -> (top[j] ? odds : 1) / all);
    Statistics.assertFrequencies("indices", observed, probabilities);
  }

  /** The probability of an index outside the top is at least exp(-epsilon) times that in it. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-9, 1e-3, 0.1, 0.3, 1, 2, 3.7, 8, 13.123456789, 16})
  void theCoinIsRoundedUpByAtMost1em12OfIt(double epsilon) {
    BigDecimal exact =
        new BigDecimal(BigInteger.TWO.pow(63))
            .divide(Decimals.exp(ReleaseCost.decimal(epsilon)), Decimals.DIGITS);
    BigDecimal acceptance = BigDecimal.valueOf(PrivUnitRandomiser.acceptance(epsilon));
    assertThat(acceptance).isGreaterThanOrEqualTo(exact);
    assertThat(acceptance).isLessThanOrEqualTo(exact.multiply(new BigDecimal("1.000000000001")));
  }

  private static int count(boolean[] top) {
    return (int) IntStream.range(0, top.length).filter(j -> top[j]).count();
  }

  @Test
  void exactlyKAreTopWhateverTheHeights() {
    double nan = Double.NaN;
    double[][] cases = {
      {0, 0, 0, 0, 0},
      {nan, nan, nan, nan, nan},
      {1, -2, nan, 0.5, -0.0},
      {-1, 1, -1, 1, -1},
      {Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, nan, 0, 1},
      {Double.longBitsToDouble(0xfff8000000000001L), 3, 2, 1, 0},
    };
    for (double[] heights : cases) {
      for (int k = 1; k <= heights.length; k++) {
        boolean[] top = PrivUnitRandomiser.top(heights, k);
        assertThat(count(top)).as("%s of %s", k, Arrays.toString(heights)).isEqualTo(k);
        for (int i = 0; i < heights.length; i++) {
          assertThat(top[2 * i] && top[2 * i + 1]).isFalse();
        }
      }
    }
  }

  @Test
  void theTopAreTheLargestOnTheirSideAndTiesGoByIndex() {
    double[] heights = {0.1, -0.9, 0.5, -0.5, 0.5, 0.2};
    assertThat(chosen(heights, 1)).containsExactly(3);
    assertThat(chosen(heights, 2)).containsExactly(3, 4);
    assertThat(chosen(heights, 3)).containsExactly(3, 4, 7);
    assertThat(chosen(heights, 4)).containsExactly(3, 4, 7, 8);
    assertThat(chosen(heights, 5)).containsExactly(3, 4, 7, 8, 10);
    assertThat(chosen(heights, 6)).containsExactly(0, 3, 4, 7, 8, 10);
  }

  private static int[] chosen(double[] heights, int k) {
    boolean[] top = PrivUnitRandomiser.top(heights, k);
    return IntStream.range(0, top.length).filter(j -> top[j]).toArray();
  }

  @Test
  void liftsToTheSphere() {
    assertThat(PrivUnitRandomiser.lift(new double[] {0, 0}, 2)).containsExactly(0, 0, 1);
    assertClose(new double[] {0.3, 0, 0.4}, 1, 0.3, 0, 0.4, Math.sqrt(0.75));
    assertClose(new double[] {0.3, 0, 0.4}, 0.5, 0.6, 0, 0.8, 0);
    assertClose(new double[] {3, 0, -4}, 1, 0.6, 0, -0.8, 0);
    assertClose(new double[] {1e300, 0, -1e300}, 1, Math.sqrt(0.5), 0, -Math.sqrt(0.5), 0);
    assertClose(new double[] {1e-300, 0, 0}, 1e-300, 1, 0, 0, 0);
    assertClose(new double[] {Double.MIN_VALUE, 0, 0}, 1, 0, 0, 0, 1);
    assertClose(
        new double[] {Double.MIN_VALUE, 0, Double.MIN_VALUE},
        Double.MIN_VALUE,
        Math.sqrt(0.5),
        0,
        Math.sqrt(0.5),
        0);
    assertClose(new double[] {Double.NaN, 0, 1}, 1, 0, 0, 0, 1);
    assertClose(new double[] {1, Double.NaN, 1}, 1, 0, 0, 0, 1);
    assertClose(new double[] {1, 1, Double.NEGATIVE_INFINITY}, 1, 0, 0, 0, 1);
  }

  private static void assertClose(double[] gradient, double bound, double... expected) {
    double[] lifted = PrivUnitRandomiser.lift(gradient, bound);
    assertThat(lifted).hasSize(expected.length);
    for (int j = 0; j < lifted.length; j++) {
      assertThat(lifted[j])
          .as("%s at %s", Arrays.toString(gradient), j)
          .isCloseTo(expected[j], within(2e-8));
    }
  }

  /** What a release stands for, in units of G. */
  private static double[] release(PrivUnitRandomiser randomiser, double[] gradient) {
    PrivUnitRandomiser.Choice choice = randomiser.choose(gradient);
    double[] values = new double[gradient.length];
    CandidateVectors.expand(choice.seed(), choice.index(), randomiser.law().scale(), values);
    return values;
  }

  /**
   * Unbiased along and across the gradient, with the variances of its law, for gradients of every
   * length: without its lift, a release of a short gradient would have a mean of the wrong length.
   */
  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({
    "1, 1, 64, 0.3",
    "2, 2, 64, 1",
    "8, 4, 64, 0",
    "3, 0.25, 64, 0.6",
    "1, 1, 64, 0",
    "2, 8, 64, 0.3",
    "8, 1, 64, 0.3",
    "8, 4, 256, 1",
    "20, 8, 256, 0.3"
  })
  void isUnbiasedWithTheVariancesOfItsLaw(int d, double epsilon, int candidates, double length) {
    double g = 0.5;
    PrivUnitRandomiser randomiser = seeded(g, d, epsilon, candidates);
    PrivUnitLaw law = randomiser.law();
    double[] unit = new double[d];
    for (int j = 0; j < d; j++) {
      unit[j] = (j % 2 == 0 ? 1 : -1) / Math.sqrt(d);
    }
    double[] gradient = Arrays.stream(unit).map(x -> x * length * g).toArray();
    double[] across = new double[d];
    if (d > 1) {
      across[0] = Math.sqrt(0.5);
      across[1] = Math.sqrt(0.5);
    }
    int count = COUNT / Math.max(1, d * candidates / 256);
    double[] alongs = new double[count];
    double[] acrosses = new double[count];
    for (int n = 0; n < count; n++) {
      double[] values = release(randomiser, gradient);
      alongs[n] = Statistics.dot(values, unit);
      acrosses[n] = Statistics.dot(values, across);
    }
    double cos = length * length;
    double variance = law.varianceAcross() + (law.varianceAlong() - law.varianceAcross()) * cos;
    Statistics.assertMoments("along", alongs, length, variance, law.scale(), 1e-5);
    if (d > 1) {
      Statistics.assertMoments("across", acrosses, 0, law.varianceAcross(), law.scale(), 1e-5);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void whatIsNotFiniteIsReleasedAsZero(double value) {
    double[] gradient = {1, value, 1};
    for (int n = 0; n < 20; n++) {
      assertThat(seeded(1, 3, 1, 64, n).choose(gradient))
          .isEqualTo(seeded(1, 3, 1, 64, n).choose(new double[3]));
    }
    assertThat(gradient).containsExactly(1, value, 1);
  }

  /**
   * At epsilon 12, an index outside the declared top has a probability of 0.03 % and less. The test
   * ranks the candidates anew; a top with one more or one less would show in every few releases.
   */
  @ParameterizedTest
  @CsvSource({"1, 0", "1, 0.6", "2, 1", "8, 0.3"})
  void theIndexIsAmongTheDeclaredTop(int d, double length) {
    PrivUnitRandomiser randomiser = seeded(2, d, 12, 4096);
    int top = randomiser.law().top();
    double[] gradient = new double[d];
    gradient[0] = 2 * length;
    double[] lifted = new double[d + 1];
    lifted[0] = length;
    lifted[d] = Math.sqrt(1 - length * length);
    int releases = Math.min(300, 30 * top);
    boolean[] seen = new boolean[top];
    int outside = 0;
    for (int n = 0; n < releases; n++) {
      PrivUnitRandomiser.Choice choice = randomiser.choose(gradient);
      double sign = choice.index() % 2 == 0 ? 1 : -1;
      double own = sign * CandidateVectors.height(choice.seed(), choice.index() / 2, lifted);
      int higher = 0;
      for (int pair = 0; pair < 2048; pair++) {
        if (Math.abs(CandidateVectors.height(choice.seed(), pair, lifted)) > own) {
          higher++;
        }
      }
      if (own < 0 || higher >= top) {
        outside++;
      } else {
        seen[higher] = true;
      }
    }
    assertThat(outside).isZero();
    assertThat(seen[0]).isTrue();
    if (top <= 10) {
      assertThat(seen).containsOnly(true);
    }
  }

  /** The seed is a word of its own generator, and the index a function of the other one's. */
  @Test
  void theSeedDependsNeitherOnTheGradientNorOnTheBitsOfTheIndex() {
    for (int n = 0; n < 50; n++) {
      long seed = seeded(1, 2, 8, 64, n).choose(new double[2]).seed();
      assertThat(seed).isEqualTo(Statistics.seeded(256 + n).getAsLong());
      double[] other = {Math.sin(n), Math.cos(n)};
      assertThat(seeded(1, 2, 8, 64, n).choose(other).seed()).isEqualTo(seed);
      PrivUnitRandomiser otherBits =
          new PrivUnitRandomiser(1, 2, 8, 64, Statistics.seeded(256 + n), Statistics.seeded(n + 1));
      assertThat(otherBits.choose(other).seed()).isEqualTo(seed);
    }
  }

  @Test
  void copiesOfAProcessDrawDifferentSeeds() {
    SecureBits seeds = new SecureBits();
    SecureBits bits = new SecureBits();
    PrivUnitRandomiser one = new PrivUnitRandomiser(1, 2, 1, 64, seeds, bits);
    PrivUnitRandomiser other =
        new PrivUnitRandomiser(1, 2, 1, 64, InsecureNoise.copy(seeds), InsecureNoise.copy(bits));
    // False alarm: 2^-64.
    assertThat(one.choose(new double[2]).seed()).isNotEqualTo(other.choose(new double[2]).seed());
  }

  @Test
  void releasesStrangeGradients() {
    PrivUnitRandomiser randomiser = seeded(Double.MIN_VALUE, 3, 1, 64);
    for (double value : new double[] {Double.MAX_VALUE, Double.MIN_VALUE, 0, -0.0}) {
      assertThat(randomiser.choose(new double[] {value, -value, value}).index()).isBetween(0, 63);
    }
  }

  @Test
  void declaresWhatItDrawsWith() {
    PrivUnitLaw third = new PrivUnitRandomiser(1, 4, 1.0 / 3).law();
    assertThat(third.epsilon()).isEqualTo(0.333333333);
    assertThat(third.candidates()).isEqualTo(256);
    assertThat(new PrivUnitRandomiser(1, 4, 0.1).law().epsilon()).isEqualTo(0.1);
    assertThat(new PrivUnitRandomiser(1, 4, 4).law().candidates()).isEqualTo(256);
    assertThat(new PrivUnitRandomiser(1, 4, 8).law().candidates()).isEqualTo(1024);
    assertThat(new PrivUnitRandomiser(1, 4, 8.5).law().candidates()).isEqualTo(4096);
    assertThat(new PrivUnitRandomiser(1, 4, 1e-9).law().epsilon()).isEqualTo(1e-9);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 2, 1, 64", "-1, 2, 1, 64", "NaN, 2, 1, 64", "Infinity, 2, 1, 64", "1, 0, 1, 64",
    "1, 2, 0, 64", "1, 2, NaN, 64", "1, 2, 16.5, 4096", "1, 2, 1e-10, 64", "1, 2, 1, 65"
  })
  void refusesWhatIsOutOfRange(double g, int d, double epsilon, int candidates) {
    assertThatThrownBy(() -> new PrivUnitRandomiser(g, d, epsilon, candidates))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesAGradientOfAnotherShape() {
    PrivUnitRandomiser randomiser = seeded(1, 2, 1, 64);
    assertRefusedWith(() -> randomiser.choose(new double[3]), "gradient has 3 coordinates");
  }

  /** The job expands a report to the vector that the device chose. */
  @Test
  void theJobExpandsAReleaseToWhatItStandsFor() throws Exception {
    PrivUnitRandomiser randomiser = seeded(0.5, 5, 2, 64);
    PrivUnitRandomiser same = seeded(0.5, 5, 2, 64);
    ModelSpec spec =
        ModelSpec.newBuilder()
            .setModelId("m")
            .setDimension(5)
            .setGradientBound(0.5)
            .setBlackBox(BlackBox.getDefaultInstance())
            .build();
    ReportIntake intake = new ReportIntake(spec, 0);
    double[] gradient = {0.1, -0.2, 0, 0.3, 0.1};
    for (int n = 0; n < 20; n++) {
      GradientReportView.Builder view =
          GradientReportView.newBuilder().setModelId("m").setRound(0).setUserId("u").setSequence(n);
      randomiser.release(gradient, view);
      byte[] bytes = view.build().toByteArray();
      Received decoded =
          new ReportDecoder()
              .decode("u".getBytes(StandardCharsets.UTF_8), bytes, false, Source.unknown(0));
      Report report = (Report) decoded;
      RoundSum sum = intake.withoutUser(report);
      double[] released = new double[5];
      PackedVectors.decode(sum.form, sum.values, sum.indices, sum.exponent, 1, released);
      PrivUnitRandomiser.Choice choice = same.choose(gradient);
      double[] expected = new double[5];
      CandidateVectors.expand(choice.seed(), choice.index(), 0.5 * same.law().scale(), expected);
      // The job rounds to a grid, so that sums are exact.
      assertThat(released).containsExactly(expected, within(Math.scalb(0.5, sum.exponent)));
      assertThat(report.mechanism().level()).isEqualTo(randomiser.cost().epsilon().doubleValue());
    }
    assertThat(randomiser.directionalVariance()).isEqualTo(0.25 * same.law().directionalVariance());
    assertThat(randomiser.subExponential().getVariance())
        .isGreaterThanOrEqualTo(randomiser.directionalVariance());
    assertThat(randomiser.subExponential().getBetaMax()).isInfinite();
  }
}
