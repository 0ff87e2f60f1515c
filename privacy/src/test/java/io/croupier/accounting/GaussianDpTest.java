package io.croupier.accounting;

import static io.croupier.accounting.Golden.assertRelative;
import static io.croupier.noise.Refusals.assertRefused;
import static io.croupier.noise.Refusals.assertRefusedWith;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GaussianDpTest {
  private static final double[] EXTREMES = {
    0,
    Double.MIN_VALUE,
    1e-310,
    1e-200,
    1e-100,
    1e-30,
    1e-8,
    1e-4,
    0.1,
    1,
    10,
    100,
    1e4,
    1e8,
    1e30,
    1e100,
    1e155,
    1e200,
    Double.MAX_VALUE,
    Double.POSITIVE_INFINITY
  };

  @Test
  void deltaAgreesWithSixtyDigits() {
    for (JsonNode c : Golden.cases("gdp_delta", 29)) {
      double log = GaussianDp.logDelta(c.get("eps").asDouble(), c.get("mu").asDouble());
      assertRelative(c, log, c.get("log_delta").asDouble(), 1e-13);
    }
  }

  @Test
  void deltaIsAsAccurateAsStatedOverTheWholeRange() {
    var rows = Golden.rows("gaussian_curve.csv");
    assertThat(rows).hasSize(600);
    for (double[] row : rows) {
      double log = GaussianDp.logDelta(row[0], row[1]);
      double a = row[0] / row[1] - row[1] / 2;
      double error = GaussianDp.LOG_ERROR * (row[2] > -1e-6 ? 1 + a * a / 32 : 1);
      assertRelative(row[0] + ", " + row[1], log, row[2], error);
    }
  }

  @Test
  void epsilonAgreesWithSixtyDigits() {
    for (JsonNode c : Golden.cases("gdp_epsilon", 17)) {
      double epsilon = GaussianDp.epsilon(c.get("mu").asDouble(), c.get("log_delta").asDouble());
      assertRelative(c, epsilon, c.get("eps").asDouble(), Golden.SEARCH);
    }
    for (JsonNode c : Golden.cases("cks_continuum", 10)) {
      double mu = Math.sqrt(2 * c.get("rho").asDouble());
      double epsilon = GaussianDp.epsilon(mu, Math.log(c.get("delta").asDouble()));
      assertRelative(c, epsilon, c.get("eps_exact_gdp").asDouble(), Golden.SEARCH);
    }
  }

  @Test
  void muAgreesWithSixtyDigits() {
    for (JsonNode c : Golden.cases("calibration", 9)) {
      double logDelta = Math.log(c.get("delta").asDouble());
      double mu = GaussianDp.mu(c.get("eps").asDouble(), logDelta);
      assertRelative(c, mu, c.get("mu").asDouble(), Golden.SEARCH);
    }
  }

  /**
   * The actual guarantee of the closed-form noise multipliers of Kairouz et al., ICML 2021, Theorem
   * 4.1.
   */
  @Test
  void closedFormNoiseDoesNotKeepTheClaimedEpsilon() {
    JsonNode errata = Golden.cases("seed_errata_numbers", 2);
    for (JsonNode c : Golden.cases(errata, "theorem_4_1_sigma_formula", 6)) {
      double mu = Math.sqrt(c.get("zeta").asDouble()) / c.get("sigma").asDouble();
      assertTrueEpsilon(c, mu);
    }
    for (JsonNode c : Golden.cases(errata, "theorem_D_1_sigma_formula_L1_E4", 6)) {
      // The formula is sigma = sqrt(zeta ln(1 / delta)) / epsilon.
      double claimed = c.get("claimed_eps").asDouble();
      assertTrueEpsilon(c, claimed / Math.sqrt(-Math.log(c.get("delta").asDouble())));
      assertThat(c.get("true_eps_exact").asDouble()).isGreaterThan(claimed);
    }
  }

  private static void assertTrueEpsilon(JsonNode c, double mu) {
    double epsilon = GaussianDp.epsilon(mu, Math.log(c.get("delta").asDouble()));
    assertRelative(c, epsilon, c.get("true_eps_exact").asDouble(), Golden.SEARCH);
  }

  /** The reference is rounded, by less than the margin; results are never below the true value. */
  @Test
  void epsilonIsRoundedUpAndMuDown() {
    for (double[] row : Golden.rows("gaussian_curve.csv")) {
      if (row[0] < 0 || row[2] > -1e-6) {
        continue;
      }
      String what = row[0] + ", " + row[1];
      double epsilon = GaussianDp.epsilon(row[1], row[2]);
      assertThat(epsilon).as(what).isGreaterThanOrEqualTo(row[0]);
      assertThat(GaussianDp.logDelta(epsilon, row[1])).as(what).isLessThan(row[2]);
      double mu = GaussianDp.mu(row[0], row[2]);
      assertThat(mu).as(what).isLessThanOrEqualTo(row[1]);
      assertThat(GaussianDp.logDelta(row[0], mu)).as(what).isLessThan(row[2]);
    }
  }

  @Test
  void roundTripsOverTheWholeRange() {
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      double mu = Math.pow(10, -8 + 14 * random.nextDouble());
      double logDelta = -Math.pow(10, -3 + 7 * random.nextDouble());
      String what = "mu " + mu + ", logDelta " + logDelta;
      double epsilon = GaussianDp.epsilon(mu, logDelta);
      assertThat(GaussianDp.logDelta(epsilon, mu)).as(what).isLessThanOrEqualTo(logDelta);
      if (epsilon > 0) {
        double below = GaussianDp.logDelta(epsilon * (1 - 1e-10) - 1e-10 * mu, mu);
        assertThat(below).as(what).isGreaterThan(logDelta);
        double back = GaussianDp.mu(epsilon, logDelta);
        assertRelative(what, back, mu, 1e-9);
      }
    }
  }

  @Test
  void lessPrivacyCostsMore() {
    Random random = new Random(2);
    for (int i = 0; i < 20_000; i++) {
      double mu = Math.pow(10, -4 + 6 * random.nextDouble());
      double epsilon = mu * (mu / 2 + 8 * random.nextDouble());
      double more = 1 + random.nextDouble();
      String what = "mu " + mu + ", epsilon " + epsilon + ", more " + more;
      double log = GaussianDp.logDelta(epsilon, mu);
      assertThat(GaussianDp.logDelta(epsilon, mu * more)).as(what).isGreaterThanOrEqualTo(log);
      assertThat(GaussianDp.logDelta(epsilon * more, mu)).as(what).isLessThanOrEqualTo(log);
      assertThat(GaussianDp.epsilon(mu * (more + 1e-9), log))
          .as(what)
          .isGreaterThanOrEqualTo(GaussianDp.epsilon(mu, log));
    }
  }

  @Test
  void negativeEpsilonsMirrorPositiveOnes() {
    Random random = new Random(3);
    for (int i = 0; i < 1000; i++) {
      double mu = Math.pow(10, -2 + 3 * random.nextDouble());
      double epsilon = 5 * random.nextDouble();
      double delta = Math.exp(GaussianDp.logDelta(epsilon, mu));
      double mirror = Math.exp(GaussianDp.logDelta(-epsilon, mu));
      double expected = 1 - Math.exp(-epsilon) * (1 - delta);
      assertThat(Math.abs(mirror - expected)).isLessThan(1e-14);
    }
  }

  @Test
  void nothingIsEverNotANumber() {
    for (double mu : EXTREMES) {
      for (double x : EXTREMES) {
        String what = "mu " + mu + ", " + x;
        assertThat(GaussianDp.logDelta(x, mu)).as(what).isLessThanOrEqualTo(0);
        assertThat(GaussianDp.logDelta(-x, mu)).as(what).isLessThanOrEqualTo(0);
        assertThat(GaussianDp.epsilon(mu, -x)).as(what).isGreaterThanOrEqualTo(0);
        assertThat(GaussianDp.mu(mu, -x)).as(what).isGreaterThanOrEqualTo(0);
        assertThat(GaussianDp.compose(mu, x)).as(what).isGreaterThanOrEqualTo(Math.max(mu, x));
      }
    }
  }

  @Test
  void limitsMeanWhatTheyShould() {
    double infinity = Double.POSITIVE_INFINITY;
    assertThat(GaussianDp.logDelta(0, 0)).isEqualTo(-infinity);
    assertThat(GaussianDp.logDelta(-1, 0)).isEqualTo(Math.log(1 - Math.exp(-1)));
    assertThat(GaussianDp.logDelta(infinity, 1)).isEqualTo(-infinity);
    assertThat(GaussianDp.logDelta(-infinity, 1)).isZero();
    assertThat(GaussianDp.logDelta(1, infinity)).isZero();
    assertThat(GaussianDp.logDelta(1e300, 1e-300)).isEqualTo(-Double.MAX_VALUE);
    assertThat(GaussianDp.epsilon(0, -infinity)).isZero();
    assertThat(GaussianDp.epsilon(1, -infinity)).isEqualTo(infinity);
    assertThat(GaussianDp.epsilon(infinity, -1)).isEqualTo(infinity);
    assertThat(GaussianDp.epsilon(infinity, 0)).isZero();
    assertThat(GaussianDp.mu(1, -infinity)).isZero();
    assertThat(GaussianDp.mu(1, 0)).isEqualTo(infinity);
    assertThat(GaussianDp.mu(infinity, -1)).isEqualTo(infinity);
  }

  @Test
  void compositionAgreesWithSixtyDigitsAndIsRoundedUp() {
    for (JsonNode c : Golden.cases("gdp_compose", 5)) {
      double[] mus = Golden.vector(c.get("mus"));
      assertRelative(c, GaussianDp.compose(mus), c.get("mu").asDouble(), 1e-15);
    }
    Random random = new Random(4);
    for (int i = 0; i < 2000; i++) {
      double[] mus = random.doubles(1 + random.nextInt(20)).toArray();
      double composed = GaussianDp.compose(mus);
      BigDecimal sum = BigDecimal.ZERO;
      for (double mu : mus) {
        sum = sum.add(new BigDecimal(mu).pow(2));
      }
      BigDecimal root = sum.sqrt(new MathContext(40, RoundingMode.DOWN));
      assertThat(new BigDecimal(composed)).isGreaterThanOrEqualTo(root);
      assertThat(new BigDecimal(Math.nextDown(Math.nextDown(composed)))).isLessThan(root);
    }
    assertThat(GaussianDp.compose()).isZero();
    assertThat(GaussianDp.compose(0, 0)).isZero();
    assertThat(GaussianDp.compose(3e-200, 4e-200)).isBetween(5e-200, Math.nextUp(5e-200));
    assertThat(GaussianDp.compose(3e200, 4e200)).isBetween(5e200, 5.000000000000001e200);
  }

  @Test
  void refusalsNameTheArgumentAndTheRule() {
    assertRefused(() -> GaussianDp.epsilon(-1, -10), "mu is -1.0; it must be at least 0");
    assertRefused(
        () -> GaussianDp.epsilon(1, 1e-6),
        "logDelta is 1.0E-6; it must be at most 0, the logarithm of a probability");
    assertRefused(() -> GaussianDp.logDelta(Double.NaN, 1), "epsilon is NaN; it must be a number");
    assertRefused(() -> GaussianDp.mu(-0.5, -10), "epsilon is -0.5; it must be at least 0");
    assertRefused(() -> GaussianDp.compose(1, Double.NaN), "mus[1] is NaN; it must be at least 0");
  }

  @Test
  void rootsAreRoundedUpToTheNextDouble() {
    assertThat(GaussianDp.rootQuotient(9, 2)).isEqualTo(1.5);
    assertThat(GaussianDp.rootQuotient(0, 2)).isZero();
    assertThat(GaussianDp.rootQuotient(1e300, 1e-200)).isInfinite();
    Random random = new Random(5);
    for (int i = 0; i < 2000; i++) {
      double zeta = 100 * random.nextDouble();
      double sigma = 10 * random.nextDouble() + 1e-3;
      double quotient = GaussianDp.rootQuotient(zeta, sigma);
      BigDecimal squared = new BigDecimal(zeta);
      BigDecimal divisor = new BigDecimal(sigma);
      assertThat(new BigDecimal(quotient).multiply(divisor).pow(2)).isGreaterThanOrEqualTo(squared);
      assertThat(new BigDecimal(Math.nextDown(quotient)).multiply(divisor).pow(2))
          .isLessThan(squared);
    }
    for (double wrong : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertRefusedWith(() -> GaussianDp.rootQuotient(wrong, 1), "zeta is " + wrong);
      assertRefusedWith(() -> GaussianDp.rootQuotient(1, wrong), "divisor is " + wrong);
    }
  }
}
