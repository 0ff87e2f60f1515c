package io.croupier.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PureCostsTest {
  private static final int SEED = 61;

  /** More than the relative roundings of a mu, of its square and of the charge together. */
  private static final double ROUNDING = 3e-11;

  /** At least the value, and above it by at most a unit and the roundings. */
  private static void assertRoundedUp(long picos, double golden, String what) {
    assertThat((double) picos).as(what).isGreaterThanOrEqualTo(golden * 1e12 * (1 - 1e-15));
    assertThat((double) picos).as(what).isLessThanOrEqualTo(golden * 1e12 * (1 + ROUNDING) + 1.01);
  }

  @Test
  void agreesWithReferenceValues() {
    for (JsonNode row : Golden.cases("pure", 8)) {
      double epsilon = row.get("eps").asDouble();
      String what = "epsilon " + epsilon;
      assertRoundedUp(PureCosts.rhoPicos(epsilon), row.get("zcdp_tight").asDouble(), what);
      double mu = row.get("gdp_mu").asDouble();
      assertRoundedUp(PureCosts.muSquaredPicos(epsilon), mu * mu, what);
      for (int i = 0; i < row.get("alphas").size(); i++) {
        double order = row.get("alphas").get(i).asDouble();
        assertRoundedUp(
            PureCosts.renyiPicos(epsilon, order),
            row.get("rdp").get(i).asDouble(),
            what + ", order " + order);
      }
    }
  }

  @Test
  void growsAndStaysBelowItsLimits() {
    Random random = new Random(SEED);
    for (int n = 0; n < 20_000; n++) {
      double epsilon = Math.scalb(1 + random.nextDouble(), random.nextInt(48) - 30);
      double more = epsilon * (1 + random.nextDouble());
      double order = 1.5 + Math.scalb(random.nextDouble(), random.nextInt(16));
      String what = "seed " + SEED + ", epsilon " + epsilon + ", order " + order;
      assertThat(PureCosts.muSquaredPicos(epsilon))
          .as(what)
          .isLessThanOrEqualTo(PureCosts.muSquaredPicos(more));
      assertThat(PureCosts.renyiPicos(epsilon, order))
          .as(what)
          .isLessThanOrEqualTo(PureCosts.renyiPicos(more, order));
      double most = Math.min(epsilon, order * PureCosts.rhoPicos(epsilon) / 1e12);
      assertThat((double) PureCosts.renyiPicos(epsilon, order))
          .as(what)
          .isLessThanOrEqualTo(most * 1e12 * (1 + 1e-11) + 1);
    }
  }

  /** The bound that replaces sums missing from older states is no less than the sums. */
  @Test
  void theValueOfASumIsAtLeastTheSumOfValues() {
    Random random = new Random(SEED);
    for (int n = 0; n < 20_000; n++) {
      double a = Math.scalb(1 + random.nextDouble(), random.nextInt(20) - 12);
      double b = Math.scalb(1 + random.nextDouble(), random.nextInt(20) - 12);
      long parts = PureCosts.muSquaredPicos(a) + PureCosts.muSquaredPicos(b);
      String what = "seed " + SEED + ", " + a + " and " + b;
      assertThat(PureCosts.muSquaredPicos(a + b) * (1 + ROUNDING) + 2)
          .as(what)
          .isGreaterThanOrEqualTo((double) parts);
      assertThat(8.0 * (PureCosts.rhoPicos(a) + PureCosts.rhoPicos(b)))
          .as(what)
          .isGreaterThanOrEqualTo((double) parts);
    }
  }

  @Test
  void saturates() {
    assertThat(PureCosts.muSquaredPicos(1e7)).isEqualTo(Long.MAX_VALUE);
    assertThat(PureCosts.renyiPicos(1e9, 65536)).isEqualTo(Long.MAX_VALUE);
    assertThat(PureCosts.rhoPicos(Double.POSITIVE_INFINITY)).isEqualTo(Long.MAX_VALUE);
    assertThat(PureCosts.muSquaredPicos(Double.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThat(PureCosts.muSquaredPicos(800))
        .isBetween(6_363_000_000_000_000L, 6_364_000_000_000_000L);
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.MIN_VALUE, 1e-300, 1e-160, 1e-20})
  void nothingIsFree(double epsilon) {
    assertThat(PureCosts.rhoPicos(epsilon)).isEqualTo(1);
    assertThat(PureCosts.muSquaredPicos(epsilon)).isEqualTo(1);
    assertThat(PureCosts.renyiPicos(epsilon, 24)).isEqualTo(1);
  }

  @Test
  void anEpsilonOfZeroIsFree() {
    assertThat(PureCosts.rhoPicos(0)).isZero();
    assertThat(PureCosts.muSquaredPicos(0)).isZero();
    assertThat(PureCosts.renyiPicos(0, 24)).isZero();
  }
}
