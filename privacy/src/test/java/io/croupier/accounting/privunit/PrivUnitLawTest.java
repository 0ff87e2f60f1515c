package io.croupier.accounting.privunit;

import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.accounting.Golden;
import io.croupier.accounting.numerics.GaussLegendre;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Golden values: 40 digits for the cap, float64 checked against 40 digits for the choice by rank;
 * its betting variances are good to 1e-8.
 */
class PrivUnitLawTest {
  private static final double SCALE = 1e-12;
  private static final double VARIANCE = 1e-7;

  /** k1 of [JO19], beyond which BANCO never bets, in units of 1 / G. */
  private static final double LARGEST_BET = 0.6838;

  private static final JsonNode GOLDEN = Golden.read("priv_unit.json");

  private final PrivUnitLaws laws = new PrivUnitLaws();

  private static void assertRelative(String what, double actual, JsonNode golden, double accuracy) {
    double expected = golden.asDouble();
    assertThat(expected).as(what).isPositive();
    assertThat(Math.abs(actual - expected) / expected)
        .as("%s: %s is to be %s", what, actual, expected)
        .isLessThanOrEqualTo(accuracy);
  }

  @Test
  void capsHaveTheGoldenOptimum() {
    int lifts = 0;
    int spheres = 0;
    for (JsonNode one : GOLDEN) {
      double epsilon = one.get("eps").asDouble();
      for (String kind : new String[] {"lift", "sphere"}) {
        JsonNode expected = one.get(kind);
        int dimension = expected.get("D").asInt();
        if (dimension == 1) {
          // Randomised response has no cap; a lift never has one dimension.
          continue;
        }
        String what = kind + ", d " + one.get("d") + ", epsilon " + epsilon;
        CapLaw cap = new CapLaw(dimension, epsilon);
        assertRelative("M, " + what, cap.scale, expected.get("M"), SCALE);
        assertRelative("gamma, " + what, cap.gamma, expected.get("gamma"), SCALE);
        assertRelative("p, " + what, cap.capProbability(), expected.get("p"), SCALE);
        double tail = new Sphere(dimension).tail(cap.gamma);
        assertRelative("q, " + what, tail, expected.get("q"), SCALE);
        if (kind.equals("lift")) {
          assertRelative("variance, " + what, cap.variance(), expected.get("variance"), 1e-11);
          lifts++;
        } else {
          spheres++;
        }
      }
    }
    assertThat(lifts).isEqualTo(42);
    assertThat(spheres).isEqualTo(36);
  }

  /** The least M that any epsilon-LDP choice of a point of the sphere has. */
  private static double leastScale(int d, double epsilon) {
    return Cap.scale(new Sphere(d + 1), Math.expm1(epsilon));
  }

  @Test
  void ranksHaveTheGoldenScaleTopAndVariances() {
    int count = 0;
    for (JsonNode one : GOLDEN) {
      int d = one.get("d").asInt();
      double epsilon = one.get("eps").asDouble();
      double least = one.get("lift").get("M").asDouble();
      for (Map.Entry<String, JsonNode> rank : one.get("rank").properties()) {
        JsonNode expected = rank.getValue();
        int candidates = Integer.parseInt(rank.getKey());
        String what = "d " + d + ", epsilon " + epsilon + ", N " + candidates;
        PrivUnitLaw law = laws.best(d, epsilon, candidates);
        assertThat(law.top()).as("K, " + what).isEqualTo(expected.get("K").asInt());
        assertRelative("M, " + what, law.scale(), expected.get("M"), SCALE);
        assertRelative(
            "variance along, " + what, law.varianceAlong(), expected.get("variance_along"), 1e-9);
        assertRelative(
            "variance across, " + what,
            law.varianceAcross(),
            expected.get("variance_across"),
            1e-9);
        assertRelative("least M, " + what, leastScale(d, epsilon), one.get("lift").get("M"), SCALE);
        assertThat(law.scale()).as(what).isGreaterThan(least);
        count++;
      }
    }
    assertThat(count).isEqualTo(126);
  }

  @Tag("ci")
  @Test
  void betsHaveTheGoldenVariancesAndTheSoundBoundIsAboveThem() {
    int count = 0;
    for (JsonNode one : GOLDEN) {
      int d = one.get("d").asInt();
      double epsilon = one.get("eps").asDouble();
      CapLaw cap = new CapLaw(d + 1, epsilon);
      String lift = "lift, d " + d + ", epsilon " + epsilon;
      assertRelative(
          lift, cap.leastBettingVariance(LARGEST_BET), one.get("lift").get("sigma2_k1"), VARIANCE);
      assertRelative(lift, cap.leastBettingVariance(), one.get("lift").get("sigma2_inf"), VARIANCE);
      for (Map.Entry<String, JsonNode> rank : one.get("rank").properties()) {
        JsonNode expected = rank.getValue();
        String what = "d " + d + ", epsilon " + epsilon + ", N " + rank.getKey();
        PrivUnitLaw law = laws.best(d, epsilon, Integer.parseInt(rank.getKey()));
        double least = law.leastBettingVariance(LARGEST_BET);
        assertRelative(what, least, expected.get("sigma2_k1"), VARIANCE);
        assertRelative(what, law.leastBettingVariance(), expected.get("sigma2_inf"), VARIANCE);
        double bound = law.bettingVariance(LARGEST_BET);
        assertThat(bound).as(what).isGreaterThan(least);
        assertThat(law.bettingVariance(64)).as(what).isGreaterThan(law.leastBettingVariance());
        if (d > 1 && epsilon < 8) {
          assertThat(bound).as(what).isLessThan((d < 8 ? 1.7 : 1.2) * least);
        }
        count++;
      }
    }
    assertThat(count).isEqualTo(126);
  }

  /** A variance for all bets up to a size is one for those up to a smaller size. */
  @ParameterizedTest
  @CsvSource({"1, 1", "10, 2", "17, 4", "835, 3.8", "1000, 0.1", "100000, 8", "3, 1e-6"})
  void smallerBetsNeedNoMoreVariance(int d, double epsilon) {
    PrivUnitLaw law = laws.best(d, epsilon, PrivUnitLaw.defaultCandidates(epsilon));
    double before = law.bettingVariance(LARGEST_BET);
    for (double range = LARGEST_BET / 2; range > 1e-9; range /= 2) {
      double variance = law.bettingVariance(range);
      assertThat(variance)
          .as("range %s", range)
          .isLessThanOrEqualTo(before * (1 + 1e-9))
          .isGreaterThanOrEqualTo(law.directionalVariance());
      before = variance;
    }
  }

  /** Of every top that the job accepts, not only of the best: along u, of bets of either sign. */
  @Tag("ci")
  @ParameterizedTest
  @ValueSource(ints = {2, 100})
  void theBettingVarianceIsSoundForEveryTopNearTheOptimum(int d) {
    assertSoundForEveryTop(d);
  }

  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 8, 20, 1000})
  void theBettingVarianceIsSoundForEveryTopInOtherDimensions(int d) {
    assertSoundForEveryTop(d);
  }

  private static void assertSoundForEveryTop(int d) {
    PrivUnitLaws laws = new PrivUnitLaws();
    int count = 0;
    for (int candidates : new int[] {64, 256, 1024, 4096}) {
      for (int top = 1; top <= candidates / 2; top = Math.max(top + 1, top * 5 / 4)) {
        for (double epsilon : new double[] {0.01, 0.25, 1, 2, 3, 4, 6, 8, 10, 12, 16}) {
          PrivUnitLaw law = laws.of(d, epsilon, candidates, top);
          if (law.isNearOptimum()) {
            assertBetsAreSound("%s of %s".formatted(top, candidates), law);
            count++;
          }
        }
      }
    }
    assertThat(count).isGreaterThan(300);
  }

  private static void assertBetsAreSound(String what, PrivUnitLaw law) {
    HeightLaw chosen = law.chosen();
    for (double range : new double[] {0.1, LARGEST_BET}) {
      double bound = law.bettingVariance(range);
      for (double b = range; b > range / 20; b /= 2) {
        for (int sign : new int[] {-1, 1}) {
          double least = 2 / (b * b) * (logMean(chosen, sign * b * law.scale()) - sign * b);
          assertThat(bound)
              .as("top %s, epsilon %s, bet %s", what, law.epsilon(), sign * b)
              .isGreaterThan(least);
        }
      }
    }
  }

  /**
   * The same at an angle to u of any cosine: E exp(b M (cosine T + sine sqrt(1 - T^2) S)), S a
   * coordinate of a uniform unit vector of d coordinates, by its series.
   */
  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8, 20})
  void theBettingVarianceIsSoundInEveryDirection(int d) {
    PrivUnitLaws laws = new PrivUnitLaws();
    int count = 0;
    for (int top = 1; top <= 128; top = Math.max(top + 1, top * 5 / 4)) {
      for (double epsilon : new double[] {0.25, 1, 2, 4, 8}) {
        PrivUnitLaw law = laws.of(d, epsilon, 256, top);
        if (!law.isNearOptimum()) {
          continue;
        }
        double bound = law.bettingVariance(LARGEST_BET);
        for (double cosine : new double[] {0, 0.3, 0.6, 0.9}) {
          for (double b : new double[] {-LARGEST_BET, -0.1, 0.1, LARGEST_BET}) {
            double mean = Math.log(meanAtAngle(law, b * law.scale(), cosine));
            assertThat(bound)
                .as("top %s, epsilon %s, cosine %s, bet %s", top, epsilon, cosine, b)
                .isGreaterThan(2 / (b * b) * (mean - b * cosine));
          }
        }
        count++;
      }
    }
    assertThat(count).isGreaterThan(20);
  }

  private static double meanAtAngle(PrivUnitLaw law, double x, double cosine) {
    HeightLaw chosen = law.chosen();
    double sum = 0;
    for (int i = 0; i < chosen.heights().length; i++) {
      double t = chosen.heights()[i];
      double beside = x * x * (1 - cosine * cosine) * (1 - t * t);
      double across = 1;
      double term = 1;
      for (int k = 1; term > across * 1e-17; k++) {
        term *= beside / (2.0 * k * (law.dimension() + 2 * k - 2));
        across += term;
      }
      double along = x * cosine * t;
      sum += across * (chosen.above()[i] * Math.exp(along) + chosen.below()[i] * Math.exp(-along));
    }
    return sum;
  }

  /** ln E exp(x T), x of any sign. */
  private static double logMean(HeightLaw law, double x) {
    double[] heights = law.heights();
    double most = Math.abs(x);
    double sum = 0;
    for (int i = 0; i < heights.length; i++) {
      sum += law.above()[i] * Math.exp(x * heights[i] - most);
      sum += law.below()[i] * Math.exp(-x * heights[i] - most);
    }
    return most + Math.log(sum);
  }

  @ParameterizedTest
  @ValueSource(doubles = {1e-6, 0.25, 0.5, 1, 2, 4, 8, 16})
  void threeDimensionsHaveClosedForms(double epsilon) {
    CapLaw cap = new CapLaw(3, epsilon);
    assertThat(cap.scale).isCloseTo(1 / Math.tanh(epsilon / 4), within(SCALE * cap.scale));
    assertThat(cap.gamma).isCloseTo(Math.tanh(epsilon / 4), within(SCALE * cap.gamma));
    assertThat(cap.capProbability()).isCloseTo(1 / (1 + Math.exp(-epsilon / 2)), within(SCALE));
  }

  /**
   * On the sphere of three dimensions heights are uniform, so the threshold has the law Beta(K, n -
   * K + 1) turned round: the mean height of the top K of n is 1 - (K + 1) / (2 (n + 1)).
   */
  @ParameterizedTest
  @CsvSource({"32, 1", "32, 32", "32, 31", "128, 7", "2048, 1", "2048, 1024", "2048, 2047"})
  void momentsOfUniformHeights(int pairs, int top) {
    Sphere.RankMoments moments = new Sphere(3).moments(pairs, top);
    double share = top / (2.0 * pairs);
    double mean = 1 - (top + 1) / (2.0 * (pairs + 1));
    assertThat(moments.first()).isCloseTo(share * mean, within(1e-14));
    // E (1 - U)^2 of the K least of n uniform U.
    double square =
        1 - (top + 1.0) / (pairs + 1) + (top + 1.0) * (top + 2) / (3.0 * (pairs + 1) * (pairs + 2));
    assertThat(moments.second()).isCloseTo(share * square, within(1e-14));
  }

  /** By another quadrature: P(Bin(n - 1, p) &lt;= K - 1) as a sum, on a fine grid of heights. */
  @ParameterizedTest
  @CsvSource({"2, 32, 3", "5, 32, 31", "21, 128, 17", "101, 512, 4", "1001, 2048, 500"})
  void momentsAgreeWithTheSumOfBinomialProbabilities(int dimension, int pairs, int top) {
    Sphere sphere = new Sphere(dimension);
    Sphere.RankMoments moments = sphere.moments(pairs, top);
    int panels = 200;
    double first = 0;
    double second = 0;
    double all = 0;
    double end = Math.min(Math.PI / 2, 12 / Math.sqrt(dimension - 1.0));
    for (int i = 0; i < panels * GaussLegendre.SIZE; i++) {
      int panel = i / GaussLegendre.SIZE;
      double angle = end / panels * (panel + GaussLegendre.node(i % GaussLegendre.SIZE));
      double weight =
          GaussLegendre.weight(i % GaussLegendre.SIZE) * Math.pow(Math.cos(angle), dimension - 2);
      double height = Math.sin(angle);
      all += 2 * weight;
      double chance = binomial(pairs - 1, 2 * sphere.tail(height), top - 1);
      first += weight * height * chance;
      second += weight * height * height * chance;
    }
    assertThat(moments.first() * all / first).isCloseTo(1, within(1e-12));
    assertThat(moments.second() * all / second).isCloseTo(1, within(1e-12));
  }

  /** P(Bin(n, p) &lt;= most). */
  private static double binomial(int n, double p, int most) {
    double log = n * Math.log1p(-Math.min(p, 1 - 1e-16));
    double sum = Math.exp(log);
    for (int k = 1; k <= most; k++) {
      log += Math.log((n - k + 1.0) / k) + Math.log(p) - Math.log1p(-Math.min(p, 1 - 1e-16));
      sum += Math.exp(log);
    }
    return Math.min(1, sum);
  }

  @ParameterizedTest
  @CsvSource({"1, 0.25, 64", "2, 8, 256", "20, 1, 256", "100, 4, 64", "1000, 8, 1024"})
  void bestHasTheLeastScaleOfAll(int d, double epsilon, int candidates) {
    PrivUnitLaw best = laws.best(d, epsilon, candidates);
    double odds = Math.expm1(epsilon);
    Sphere sphere = new Sphere(d + 1);
    for (int top = 1; top <= candidates / 2; top++) {
      double scale = PrivUnitLaw.scale(odds, candidates, top, sphere.moments(candidates / 2, top));
      assertThat(best.scale()).isLessThanOrEqualTo(scale * (1 + 1e-13));
    }
  }

  @Test
  void defaultsAreNearTheOptimumUpToTheLargestEpsilon() {
    for (int d : new int[] {1, 2, 20, 1000, 100_000}) {
      for (double epsilon : new double[] {1e-3, 1, 4, 4.01, 8, 8.01, 10, 12}) {
        PrivUnitLaw law = laws.best(d, epsilon, PrivUnitLaw.defaultCandidates(epsilon));
        assertThat(law.scale() / leastScale(d, epsilon))
            .as("d %s, epsilon %s", d, epsilon)
            .isBetween(1.0, 1.08);
      }
    }
  }

  @Test
  void knowsWhatIsFarFromTheOptimum() {
    int refused = 0;
    for (int top = 1; top <= 128; top++) {
      double ratio =
          PrivUnitLaw.scale(Math.expm1(1), 256, top, new Sphere(21).moments(128, top))
              / leastScale(20, 1);
      assertThat(laws.of(20, 1, 256, top).isNearOptimum())
          .as("top %s", top)
          .isEqualTo(ratio <= 1.3);
      if (ratio > 1.3) {
        refused++;
      }
    }
    assertThat(refused).isBetween(1, 127);
  }

  @Test
  void refusesTooFewCandidates() {
    assertRefused(
        () -> laws.best(100, 12, 64), "candidates is 64; at epsilon 12.0 it must be more");
    assertThat(laws.best(100, 12, 4096).isNearOptimum()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1, 256, 89",
    "20, 0, 256, 89",
    "20, NaN, 256, 89",
    "20, -1, 256, 89",
    "20, 16.1, 256, 89",
    "20, 1, 255, 89",
    "20, 1, 128, 44",
    "20, 1, 8192, 89",
    "20, 1, 256, 0",
    "20, 1, 256, 129",
    "2147483647, 1, 256, 89",
  })
  void refusesWhatIsOutOfRange(int d, double epsilon, int candidates, int top) {
    assertThatThrownBy(() -> laws.of(d, epsilon, candidates, top))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Every valid pair in three dimensions, twice: what is kept stays bounded. */
  @Test
  void whatStrangersDeclareCostsLittle() {
    long start = System.nanoTime();
    int asked = 0;
    int refused = 0;
    for (int round = 0; round < 2; round++) {
      for (int d = 20; d < 23; d++) {
        for (int candidates : new int[] {64, 256, 1024, 4096}) {
          for (int top = 1; top <= candidates / 2; top++) {
            if (!laws.of(d, 0.5 + top * 1e-4, candidates, top).isNearOptimum()) {
              refused++;
            }
            asked++;
          }
        }
      }
    }
    double milliseconds = (System.nanoTime() - start) / 1e6 / asked;
    assertThat(asked).isEqualTo(2 * 3 * 2720);
    assertThat(refused).isBetween(1, asked - 1);
    assertThat(laws.dimensionsKept()).isEqualTo(3);
    // Half of them are new, and take 0.1 ms on a machine that does nothing else.
    assertThat(milliseconds).isLessThan(2);
    for (int d = 1; d <= 80; d++) {
      laws.best(d, 1, 256);
    }
    assertThat(laws.dimensionsKept()).isEqualTo(PrivUnitLaws.MOST_DIMENSIONS);
  }
}
