package io.croupier.accounting.tree;

import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.accounting.Golden;
import io.croupier.accounting.NeighbouringRelation;
import io.croupier.accounting.tree.TreeRelease.TreePart;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TreeReleaseTest {
  private static final double PERCENT = 1e-7;

  private static TreeRelease zeroOut(long zeta, double noiseMultiplier) {
    return TreeRelease.of(zeta, noiseMultiplier, NeighbouringRelation.ZERO_OUT);
  }

  /** The values of DP-FTRLM in [KMSTTX21, Table 4], and the exact ones for the same noise. */
  @ParameterizedTest
  @CsvSource({
    "1.13, 18.71, 17.67",
    "2.33, 7.83, 7.34",
    "4.03, 4.19, 3.92",
    "6.21, 2.60, 2.42",
    "8.83, 1.77, 1.65"
  })
  void usageExample(double noiseMultiplier, double ofThePaper, double exact) {
    long zeta = Schedule.ofOneTree(1600, ParticipationLimits.ONCE).zeta();
    TreeRelease release = TreeRelease.of(zeta, noiseMultiplier, NeighbouringRelation.ZERO_OUT);
    assertThat(release.zeta()).isEqualTo(11);
    assertThat(release.epsilonRenyi(1e-6)).isCloseTo(ofThePaper, within(0.005));
    assertThat(release.epsilon(1e-6)).isCloseTo(exact, within(0.005));
  }

  @Test
  void restartsAreThoseOfTheReference() {
    for (JsonNode c : Golden.cases("restarts", 7)) {
      TreeRelease release = zeroOut(c.get("zeta_total").asLong(), c.get("sigma").asDouble());
      double delta = c.get("delta").asDouble();
      assertThat(release.mu()).isCloseTo(c.get("mu").asDouble(), withinPercentage(1e-13));
      assertThat(release.epsilon(delta))
          .isCloseTo(c.get("eps_exact_gdp").asDouble(), withinPercentage(PERCENT));
      assertThat(release.epsilonRenyi(delta))
          .isCloseTo(c.get("eps_cks").asDouble(), withinPercentage(PERCENT));
    }
  }

  @Test
  void closedFormsOfThePaperYieldTheReferenceEpsilons() {
    JsonNode errata = Golden.cases("seed_errata_numbers", 2);
    for (JsonNode c : Golden.cases(errata, "theorem_4_1_sigma_formula", 6)) {
      assertErratum(c, 2 * 11, "sigma", c.get("zeta").asLong());
    }
    for (JsonNode c : Golden.cases(errata, "theorem_D_1_sigma_formula_L1_E4", 6)) {
      assertErratum(c, 4 * 11, "sigma_seed", 4 * 11);
    }
  }

  private static void assertErratum(JsonNode c, int factor, String golden, long zeta) {
    double delta = c.get("delta").asDouble();
    double sigma = Math.sqrt(factor * -StrictMath.log(delta)) / c.get("claimed_eps").asDouble();
    assertThat(sigma).isCloseTo(c.get(golden).asDouble(), withinPercentage(PERCENT));
    assertThat(zeroOut(zeta, sigma).epsilon(delta))
        .isCloseTo(c.get("true_eps_exact").asDouble(), withinPercentage(PERCENT));
  }

  @Test
  void calibrationIsThatOfTheReference() {
    for (JsonNode c : Golden.cases("calibration", 9)) {
      double sigma =
          TreeRelease.noiseMultiplier(
              c.get("zeta").asLong(),
              c.get("eps").asDouble(),
              c.get("delta").asDouble(),
              NeighbouringRelation.ZERO_OUT);
      assertThat(sigma).isCloseTo(c.get("sigma").asDouble(), withinPercentage(PERCENT));
    }
  }

  /**
   * [KMSTTX21, Table 5] states 363.66 (by a coarse grid of orders), 32.52, 9.76, 4.11 and 7.57; it
   * charges the last tree at full depth, 45 instead of 44 in the second row.
   */
  @ParameterizedTest
  @CsvSource({
    "11, 0.149, 362.186, 352.638",
    "45, 1.49, 32.510, 30.855",
    "44, 1.49, 32.028, 30.393",
    "168, 7.5394, 9.7617, 9.1724",
    "385, 24.287, 4.1085, 3.8395",
    "63, 5.7365, 7.5718, 7.1025"
  })
  void tableFive(long zeta, double noiseMultiplier, double renyi, double exact) {
    assertThat(zeroOut(zeta, noiseMultiplier).epsilonRenyi(1e-6)).isCloseTo(renyi, within(0.001));
    assertThat(zeroOut(zeta, noiseMultiplier).epsilon(1e-6)).isCloseTo(exact, within(0.001));
  }

  /**
   * [KMSTTX21, D.3]: the noise for an epsilon of 23, which the text states as 7, 8.5, 12 and 32.
   */
  @ParameterizedTest
  @CsvSource({"700, 6.908", "1000, 8.257", "2125, 12.036", "14349, 31.276"})
  void restartsAtTheSameEpsilon(long zeta, double expected) {
    assertThat(TreeRelease.noiseMultiplier(zeta, 23, 1e-5, NeighbouringRelation.ZERO_OUT))
        .isCloseTo(expected, within(5e-4));
  }

  @ParameterizedTest
  @EnumSource(NeighbouringRelation.class)
  void noiseIsTheLeastThatKeepsTheRequestedEpsilon(NeighbouringRelation relation) {
    for (long zeta : new long[] {1, 7, 11, 63, 14349, TreeRelease.MAX_ZETA}) {
      for (double epsilon : new double[] {1e-3, 0.1, 1, 8, 30, 1000}) {
        for (double delta : new double[] {1e-12, 1e-6, 1e-2, 0.5}) {
          double sigma = TreeRelease.noiseMultiplier(zeta, epsilon, delta, relation);
          assertThat(TreeRelease.of(zeta, sigma, relation).epsilon(delta))
              .as("zeta %d, epsilon %s, delta %s", zeta, epsilon, delta)
              .isLessThanOrEqualTo(epsilon);
          assertThat(TreeRelease.of(zeta, sigma * (1 - 1e-10), relation).epsilon(delta))
              .as("zeta %d, epsilon %s, delta %s", zeta, epsilon, delta)
              .isGreaterThan(epsilon);
        }
      }
    }
  }

  @Test
  void replacingDoublesMu() {
    TreeRelease replaceOne = TreeRelease.of(11, 4.03, NeighbouringRelation.REPLACE_ONE);
    assertThat(replaceOne.mu()).isEqualTo(2 * zeroOut(11, 4.03).mu());
    assertThat(replaceOne.zeta()).isEqualTo(44);
    assertThat(replaceOne.epsilon(1e-6)).isEqualTo(zeroOut(44, 4.03).epsilon(1e-6));
    // More than twice the epsilon, since the factor of two in [KMSTTX21, 1.1] applies to mu.
    assertThat(replaceOne.epsilon(1e-6)).isGreaterThan(2 * zeroOut(11, 4.03).epsilon(1e-6));
  }

  @Test
  void differentNoisesMix() {
    TreeRelease mixture =
        new TreeRelease(
            List.of(new TreePart(9, 1.5), new TreePart(16, 2)), NeighbouringRelation.ZERO_OUT);
    assertThat(mixture.mu()).isCloseTo(Math.sqrt(4 + 4), within(1e-15));
    assertThat(mixture.zeta()).isEqualTo(25);
    TreeRelease halves =
        new TreeRelease(
            List.of(new TreePart(5, 3), new TreePart(6, 3)), NeighbouringRelation.ZERO_OUT);
    assertThat(halves.mu()).isCloseTo(zeroOut(11, 3).mu(), within(1e-15));
  }

  @Test
  void muIsExactWhereADoubleIsAndRoundedUpElsewhere() {
    assertThat(zeroOut(9, 1.5).mu()).isEqualTo(2);
    assertThat(zeroOut(0, 1.5).mu()).isZero();
    assertThat(zeroOut(0, 1.5).epsilon(1e-6)).isZero();
    double mu = zeroOut(2, 1).mu();
    assertThat(mu).isEqualTo(Math.nextUp(1.414213562373095));
    // Negligible noise means no privacy; the result is not an overflow.
    assertThat(zeroOut(1, Double.MIN_VALUE).epsilon(1e-6)).isPositive().isInfinite();
    assertThat(zeroOut(1, Double.MAX_VALUE).mu()).isPositive();
  }

  @Test
  void refusesInvalidArgumentsAndStatesTheRule() {
    for (double sigma : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertRefused(
          () -> zeroOut(1, sigma),
          "noiseMultiplier is " + sigma + "; it must be positive and finite");
    }
    for (double delta : new double[] {0, 1, -0.1, Double.NaN}) {
      assertRefused(
          () -> zeroOut(1, 1).epsilon(delta), "delta is " + delta + "; it must be between 0 and 1");
    }
    assertRefused(() -> zeroOut(-1, 1), "zeta is -1; it must be between 0 and 2305843009213693951");
    TreePart large = new TreePart(TreeRelease.MAX_ZETA, 1);
    assertRefused(
        () -> new TreeRelease(List.of(large, large), NeighbouringRelation.REPLACE_ONE),
        "zeta is 4611686018427387902; it must be between 0 and 2305843009213693951");
    for (double epsilon : new double[] {0, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertRefused(
          () -> TreeRelease.noiseMultiplier(1, epsilon, 0.1, NeighbouringRelation.ZERO_OUT),
          "epsilon is " + epsilon + "; it must be positive and finite");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TreeRelease.noiseMultiplier(0, 1, 0.1, NeighbouringRelation.ZERO_OUT))
        .withMessageStartingWith("zeta is 0; it must be at least 1");
  }
}
