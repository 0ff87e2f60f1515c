package io.croupier.accounting;

import static io.croupier.accounting.Golden.assertRelative;
import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Conversions between Renyi, zero-concentrated, pure and Gaussian DP. */
class ConversionsTest {
  private static final double[] EXTREMES = {
    0,
    Double.MIN_VALUE,
    1e-300,
    1e-16,
    1e-8,
    0.01,
    1,
    30,
    700,
    1e4,
    1e16,
    1e155,
    1e300,
    Double.MAX_VALUE,
    Double.POSITIVE_INFINITY
  };

  @Test
  void zeroConcentratedDpAgreesWithSixtyDigits() {
    for (JsonNode c : Golden.cases("cks_continuum", 10)) {
      double rho = c.get("rho").asDouble();
      double logDelta = Math.log(c.get("delta").asDouble());
      double epsilon = ZeroConcentratedDp.epsilon(rho, logDelta);
      assertRelative(c, epsilon, c.get("eps_cks").asDouble(), Golden.SEARCH);
      assertRelative(
          c,
          ZeroConcentratedDp.order(rho, logDelta),
          c.get("alpha_star").asDouble(),
          Golden.SEARCH);
      // Mironov's conversion, which newer ones supersede.
      double loose = rho + 2 * Math.sqrt(-rho * logDelta);
      assertRelative(c, loose, c.get("eps_mironov").asDouble(), Golden.CLOSED_FORM);
      assertThat(epsilon).isBetween(c.get("eps_exact_gdp").asDouble(), loose);
    }
  }

  @Test
  void renyiDpAgreesWithSixtyDigits() {
    for (JsonNode c : Golden.cases("cks_on_grid", 4)) {
      double[] orders = Golden.vector(c.get("orders"));
      double logDelta = Math.log(c.get("delta").asDouble());
      double least = Double.POSITIVE_INFINITY;
      double best = 0;
      for (int i = 0; i < orders.length; i++) {
        double epsilon = RenyiDp.epsilon(orders[i], c.get("rdp").get(i).asDouble(), logDelta);
        best = epsilon < least ? orders[i] : best;
        least = Math.min(least, epsilon);
      }
      assertRelative(c, least, c.get("eps").asDouble(), Golden.CLOSED_FORM);
      assertThat(best).isEqualTo(c.get("best_order").asDouble());
    }
  }

  @Test
  void ordersAreThoseOfTheReferenceAndInfinity() {
    JsonNode orders = Golden.cases("order_grid", 43);
    assertThat(RenyiCurve.size()).isEqualTo(44);
    for (int i = 0; i < 43; i++) {
      assertThat(RenyiCurve.order(i)).isEqualTo(orders.get(i).asDouble());
    }
    assertThat(RenyiCurve.order(43)).isInfinite();
  }

  @Test
  void pureDpAgreesWithSixtyDigits() {
    for (JsonNode c : Golden.cases("pure", 8)) {
      double epsilon = c.get("eps").asDouble();
      assertRelative(c, PureDp.rho(epsilon), c.get("zcdp_tight").asDouble(), 1e-14);
      assertRelative(c, epsilon * epsilon / 2, c.get("zcdp_classic").asDouble(), 1e-14);
      assertRelative(c, PureDp.mu(epsilon), c.get("gdp_mu").asDouble(), Golden.SEARCH);
      assertThat(PureDp.mu(epsilon)).isGreaterThanOrEqualTo(c.get("gdp_mu").asDouble());
      double[] orders = Golden.vector(c.get("alphas"));
      assertThat(orders).hasSize(9);
      for (int i = 0; i < orders.length; i++) {
        double reference = c.get("rdp").get(i).asDouble();
        assertRelative(c, PureDp.renyi(epsilon, orders[i]), reference, 1e-13);
      }
    }
  }

  @Test
  void pureMuIsWhatRandomisedResponseNeeds() {
    Random random = new Random(5);
    for (int i = 0; i < 2000; i++) {
      double epsilon = Math.pow(10, -6 + 8.8 * random.nextDouble());
      double mu = PureDp.mu(epsilon);
      // The trade-off curves touch at epsilon 0.
      double wanted =
          epsilon < 1 ? Math.log(Math.tanh(epsilon / 2)) : Math.log1p(-2 / (1 + Math.exp(epsilon)));
      assertThat(GaussianDp.logDelta(0, mu))
          .as("epsilon %s", epsilon)
          .isGreaterThanOrEqualTo(wanted);
      assertThat(GaussianDp.logDelta(0, mu * (1 - 1e-8)))
          .as("epsilon %s", epsilon)
          .isLessThanOrEqualTo(wanted);
      assertThat(PureDp.mu(epsilon * (1 + 1e-9))).isGreaterThan(mu);
    }
    // Across the boundary between two formulas.
    assertRelative("1", PureDp.mu(Math.nextDown(1.0)), PureDp.mu(1), 1e-11);
    // sqrt(pi / 2) epsilon for small epsilons, and sqrt(8 epsilon) for large ones.
    assertRelative("small", PureDp.mu(1e-12), Math.sqrt(Math.PI / 2) * 1e-12, 1e-10);
    assertRelative("large", PureDp.mu(1e12), Math.sqrt(8e12), 1e-10);
  }

  @Test
  void renyiDivergenceRisesFromRhoToEpsilon() {
    Random random = new Random(6);
    for (int i = 0; i < 20_000; i++) {
      double epsilon = Math.pow(10, -9 + 12 * random.nextDouble());
      double order = 1 + Math.pow(10, -9 + 15 * random.nextDouble());
      double divergence = PureDp.renyi(epsilon, order);
      double rho = PureDp.rho(epsilon);
      String what = "epsilon " + epsilon + ", order " + order;
      assertThat(divergence).as(what).isLessThanOrEqualTo(epsilon);
      assertThat(divergence).as(what).isLessThanOrEqualTo(order * rho * (1 + 1e-15));
      assertThat(divergence).as(what).isGreaterThanOrEqualTo(rho * (1 - 1e-13));
      assertThat(PureDp.renyi(epsilon, order * 1.01))
          .as(what)
          .isGreaterThanOrEqualTo(divergence * (1 - 1e-13));
    }
  }

  @Test
  void compositionOfPureReportsAgreesWithSixtyDigits() {
    for (JsonNode c : Golden.cases("composition_pure", 6)) {
      double[] epsilons = Golden.vector(c.get("eps_list"));
      double logDelta = Math.log(c.get("delta_slack").asDouble());
      assertRelative(c, PureDp.basic(epsilons), c.get("basic").asDouble(), Golden.CLOSED_FORM);
      TreeMap<Double, Long> groups = new TreeMap<>();
      for (double epsilon : epsilons) {
        groups.merge(epsilon, 1L, Long::sum);
      }
      ExactComposition exact = ExactComposition.of(0, groups).orElseThrow();
      double epsilon = exact.epsilon(logDelta);
      assertRelative(c, epsilon, c.get("exact_optimal").asDouble(), Golden.SEARCH);
      assertRelative(
          c,
          Math.exp(exact.logDelta(c.get("exact_optimal").asDouble())),
          c.get("exact_optimal_delta_check").asDouble(),
          Golden.SEARCH);
      assertThat(epsilon).isLessThanOrEqualTo(c.get("kov_heterogeneous").asDouble());
      assertThat(exact.exact()).isTrue();
    }
  }

  @Test
  void tenTenthsAreNoLessThanOne() {
    double[] tenths = new double[10];
    Arrays.fill(tenths, 0.1);
    assertThat(PureDp.basic(tenths)).isBetween(1.0, 1 + 1e-15);
    assertThat(PureDp.basic(0.25, 0.5)).isEqualTo(0.75);
    assertThat(PureDp.basic()).isZero();
  }

  @Test
  void filtersAdmitTheLargestRhoAndNoMore() {
    Random random = new Random(7);
    for (int i = 0; i < 1000; i++) {
      double epsilon = Math.pow(10, -3 + 6 * random.nextDouble());
      double logDelta = -Math.pow(10, -1 + 4 * random.nextDouble());
      String what = "epsilon " + epsilon + ", logDelta " + logDelta;
      RenyiFilter filter = RenyiFilter.of(epsilon, logDelta);
      double rho = filter.budget() / filter.order();
      assertRelative(what, ZeroConcentratedDp.epsilon(rho, logDelta), epsilon, 1e-9);
      // A divergence of the whole budget at that order, pure or not, implies epsilon.
      assertThat(RenyiDp.epsilon(filter.order(), filter.budget() * (1 - 1e-15), logDelta))
          .as(what)
          .isBetween(epsilon * (1 - 1e-9), epsilon * (1 + 1e-13));
    }
  }

  @Test
  void filterOfOneAtOneInAMillion() {
    RenyiFilter filter = RenyiFilter.of(1, Math.log(1e-6));
    double rho = filter.budget() / filter.order();
    assertRelative("", ZeroConcentratedDp.epsilon(rho, Math.log(1e-6)), 1, 1e-12);
    assertRelative("", ZeroConcentratedDp.order(rho, Math.log(1e-6)), filter.order(), 1e-6);
  }

  @Test
  void noiseMultipliersAgreeWithSixtyDigitsAndAreRoundedUp() {
    for (JsonNode c : Golden.cases("calibration", 9)) {
      double zeta = c.get("zeta").asDouble();
      double logDelta = Math.log(c.get("delta").asDouble());
      double epsilon = c.get("eps").asDouble();
      double sigma = GaussianDp.noiseMultiplier(epsilon, logDelta, zeta);
      assertRelative(c, sigma, c.get("sigma").asDouble(), Golden.SEARCH);
      assertThat(GaussianDp.logDelta(epsilon, Math.sqrt(zeta) / sigma)).isLessThan(logDelta);
    }
    assertThat(GaussianDp.noiseMultiplier(1, -10, 0)).isZero();
    assertThat(GaussianDp.noiseMultiplier(1, 0, 1)).isZero();
    assertThat(GaussianDp.noiseMultiplier(1, Double.NEGATIVE_INFINITY, 1)).isInfinite();
  }

  @Test
  void nothingIsEverNotANumber() {
    for (double x : EXTREMES) {
      assertThat(PureDp.rho(x)).isGreaterThanOrEqualTo(0);
      assertThat(PureDp.mu(x)).isGreaterThanOrEqualTo(0);
      assertThat(PureDp.basic(x, x)).isGreaterThanOrEqualTo(x);
      for (double y : EXTREMES) {
        assertThat(ZeroConcentratedDp.epsilon(x, -y)).as("%s %s", x, y).isGreaterThanOrEqualTo(0);
        assertThat(PureDp.renyi(x, 1 + y)).as("%s %s", x, y).isGreaterThanOrEqualTo(0);
        assertThat(
                RenyiCurve.ofRho(x).plus(RenyiCurve.ofPure(PureLoss.ofEpsilon(x), 2)).epsilon(-y))
            .as("%s %s", x, y)
            .isGreaterThanOrEqualTo(0);
        if (x > 0 && x <= Double.MAX_VALUE && y > 0 && y <= Double.MAX_VALUE) {
          RenyiFilter filter = RenyiFilter.of(x, -y);
          assertThat(filter.order()).as("%s %s", x, y).isGreaterThan(1);
          assertThat(filter.budget()).as("%s %s", x, y).isBetween(0.0, Double.MAX_VALUE);
        }
      }
    }
  }

  @Test
  void refusalsNameTheArgumentAndTheRule() {
    assertRefused(() -> RenyiDp.epsilon(1, 1, -10), "order is 1.0; it must be above 1");
    assertRefused(() -> PureDp.renyi(1, 0.5), "order is 0.5; it must be at least 1");
    assertRefused(() -> PureDp.basic(1, -2), "epsilons[1] is -2.0; it must be at least 0");
    assertRefused(
        () -> ZeroConcentratedDp.epsilon(Double.NaN, -10), "rho is NaN; it must be at least 0");
    assertRefused(
        () -> ZeroConcentratedDp.order(1, 0), "logDelta is 0.0; it must be negative and finite");
    assertRefused(() -> RenyiFilter.of(0, -10), "epsilon is 0.0; it must be positive and finite");
    assertRefused(
        () -> GaussianDp.noiseMultiplier(1, -10, -1),
        "zeta is -1.0; it must be at least 0 and finite");
  }
}
