package io.croupier.accounting;

import static io.croupier.accounting.Golden.assertRelative;
import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SpendsTest {
  private static final Map<String, Bound> NAMES =
      Map.of(
          "basic", Bound.BASIC,
          "gdp", Bound.GAUSSIAN,
          "zcdp_tight", Bound.ZERO_CONCENTRATED,
          "rdp_on_grid", Bound.RENYI,
          "exact", Bound.EXACT);

  @Test
  void usageExample() {
    Spends spends = new Spends();
    spends.addPure(0.5, 10);
    spends.addMu(0.5);

    Spends.Least least = spends.least(Math.log(1e-6));

    assertThat(least.bound()).isEqualTo(Bound.EXACT);
    assertThat(least.epsilon()).isBetween(6.678, 6.680);
    assertThat(spends.bounds(Math.log(1e-6)).get(Bound.BASIC)).isBetween(7.254, 7.255);
  }

  @Test
  void ledgersAgreeWithSixtyDigits() {
    int compared = 0;
    int users = 0;
    for (JsonNode c : Golden.cases("ledger", 3)) {
      double logDelta = Math.log(c.get("delta").asDouble());
      Map<Bound, Double> overall = new EnumMap<>(Bound.class);
      for (JsonNode user : c.get("users")) {
        Spends spends = spends(user.get("events"));
        boolean pureOnly = isPure(user.get("events"));
        Map<Bound, Double> bounds = spends.bounds(logDelta);
        bounds.forEach((bound, epsilon) -> overall.merge(bound, epsilon, Math::max));
        users++;
        for (Map.Entry<String, Bound> name : NAMES.entrySet()) {
          JsonNode expected = user.get("eps").get(name.getKey());
          if (expected == null) {
            continue;
          }
          // The reference omits order infinity, at which pure reports cost exactly their sum.
          double reference =
              name.getValue() == Bound.RENYI && pureOnly
                  ? Math.min(expected.asDouble(), spends.pure())
                  : expected.asDouble();
          String what = c.get("name") + " " + user.get("user") + " " + name;
          assertRelative(what, bounds.get(name.getValue()), reference, Golden.SEARCH);
          compared++;
        }
        assertThat(spends.least(logDelta).epsilon())
            .isEqualTo(bounds.values().stream().min(Double::compare).orElseThrow());
      }
      for (Map.Entry<String, Bound> name : NAMES.entrySet()) {
        JsonNode expected = c.get("overall").get(name.getKey());
        if (expected != null && name.getValue() != Bound.RENYI) {
          assertRelative(name, overall.get(name.getValue()), expected.asDouble(), Golden.SEARCH);
          compared++;
        }
      }
    }
    assertThat(users).isEqualTo(9);
    assertThat(compared).isEqualTo(45);
  }

  private static boolean isPure(JsonNode events) {
    for (JsonNode event : events) {
      if (!event.get("kind").asText().equals("pure")) {
        return false;
      }
    }
    return true;
  }

  private static Spends spends(JsonNode events) {
    Spends spends = new Spends();
    for (JsonNode event : events) {
      switch (event.get("kind").asText()) {
        case "pure" -> spends.addPure(event.get("eps").asDouble(), 1);
        case "gdp" -> spends.addMu(event.get("mu").asDouble());
        case "zcdp" -> spends.addRho(event.get("rho").asDouble());
        default -> throw new AssertionError(event);
      }
    }
    return spends;
  }

  @Test
  void mixturesAgreeWithSixtyDigits() {
    for (JsonNode c : Golden.cases("mixed_exact", 7)) {
      TreeMap<Double, Long> groups = new TreeMap<>();
      for (double epsilon : Golden.vector(c.get("pure"))) {
        groups.merge(epsilon, 1L, Long::sum);
      }
      ExactComposition exact = ExactComposition.of(c.get("mu").asDouble(), groups).orElseThrow();
      assertThat(exact.exact()).isTrue();
      double log = exact.logDelta(c.get("eps").asDouble());
      assertRelative(c, log, c.get("log_delta").asDouble(), Golden.CLOSED_FORM);
      assertRelative(c, Math.exp(log), c.get("delta").asDouble(), Golden.CLOSED_FORM);
      assertRelative(c, exact.epsilon(log), c.get("eps").asDouble(), Golden.SEARCH);
    }
  }

  @Test
  void soundBoundsComeInTheirOrder() {
    Random random = new Random(8);
    for (int i = 0; i < 60; i++) {
      Spends spends = new Spends();
      int kinds = random.nextInt(4);
      for (int k = 0; k < kinds; k++) {
        spends.addPure(Math.pow(10, -2 + 2.5 * random.nextDouble()), random.nextInt(12));
      }
      spends.addMu(random.nextInt(3) * random.nextDouble());
      double logDelta = -2 - 30 * random.nextDouble();
      Map<Bound, Double> bounds = spends.bounds(logDelta);
      double exact = bounds.get(Bound.EXACT);
      for (Map.Entry<Bound, Double> bound : bounds.entrySet()) {
        assertThat(exact)
            .as("%d: %s, logDelta %s", i, bounds, logDelta)
            .isLessThanOrEqualTo(bound.getValue() * (1 + 1e-10));
      }
      // The curve is below the zero-concentrated bound at its orders, but it has only some orders.
      assertThat(bounds.get(Bound.RENYI))
          .as("%d: %s, logDelta %s", i, bounds, logDelta)
          .isLessThanOrEqualTo(bounds.get(Bound.ZERO_CONCENTRATED) * 1.05);
    }
  }

  @Test
  void spendingMoreCostsMore() {
    Random random = new Random(9);
    Spends spends = new Spends();
    Map<Bound, Double> before = spends.bounds(-12);
    assertThat(before.values()).containsOnly(0.0);
    for (int i = 0; i < 30; i++) {
      if (random.nextBoolean()) {
        spends.addPure((1 + random.nextInt(3)) / 8.0, 1 + random.nextInt(5));
      } else {
        spends.addMu(random.nextDouble());
      }
      Map<Bound, Double> after = spends.bounds(-12);
      for (Bound bound : Bound.values()) {
        assertThat(after.get(bound))
            .as("%d %s", i, bound)
            .isGreaterThanOrEqualTo(before.get(bound));
      }
      before = after;
    }
  }

  @Test
  void aGridErrsTowardsLessPrivacyAndNotByMuch() {
    // Sums of one group are exact; groups whose epsilons differ by a rounding error are not.
    double epsilon = 0.05;
    TreeMap<Double, Long> together = new TreeMap<>(Map.of(epsilon, 400L));
    TreeMap<Double, Long> apart = new TreeMap<>();
    for (int i = 0; i < 8; i++) {
      epsilon = Math.nextDown(epsilon);
      apart.put(epsilon, 50L);
    }
    ExactComposition exact = ExactComposition.of(0.2, together).orElseThrow();
    ExactComposition grid = ExactComposition.of(0.2, apart).orElseThrow();
    assertThat(grid.exact()).isFalse();
    for (double logDelta : new double[] {-3, -14, -30, -100}) {
      double reference = exact.epsilon(logDelta);
      assertThat(grid.epsilon(logDelta))
          .as("logDelta %s", logDelta)
          .isBetween(reference * (1 - 1e-12), reference * (1 + 1e-5));
    }
  }

  @Test
  void manyReportsAreCheapAndManyKindsTooComposed() {
    Spends spends = new Spends();
    spends.addPure(1e-3, 1_000_000);
    double epsilon = spends.bounds(Math.log(1e-6)).get(Bound.EXACT);
    // The central limit is a mu of 1e-3 sqrt(1e6).
    double limit = GaussianDp.epsilon(1, Math.log(1e-6));
    assertRelative("limit", epsilon, limit, 1e-3);

    Random random = new Random(10);
    TreeMap<Double, Long> diverse = new TreeMap<>();
    for (int i = 0; i < 200; i++) {
      diverse.put(random.nextDouble(), 1000L);
    }
    assertThat(ExactComposition.of(1, diverse)).isEmpty();
    diverse.forEach(spends::addPure);
    // Its place takes the composition on a grid. The best order is below all orders of the curve.
    Map<Bound, Double> bounds = spends.bounds(-10);
    assertThat(spends.least(-10).bound()).isEqualTo(Bound.EXACT);
    assertThat(bounds.get(Bound.ZERO_CONCENTRATED)).isLessThan(bounds.get(Bound.RENYI));
    assertThat(bounds.get(Bound.EXACT) / bounds.get(Bound.ZERO_CONCENTRATED)).isBetween(0.99, 1.0);
  }

  /** Epsilons are rounded up by at most 0.5 %. */
  @Test
  void manyDifferentLossesCompose() {
    Spends different = new Spends();
    Spends least = new Spends();
    for (int n = 0; n < 5000; n++) {
      different.addPure(PureLoss.ofRadial(0.5 + n * 1e-5, 20), 1);
      different.addPure(new ChoiceLoss(0.1 + n * 1e-6, 1.5), 1);
      if (n % 100 == 0) {
        least.addPure(PureLoss.ofRadial(0.5 + n * 1e-5, 20), 100);
        least.addPure(new ChoiceLoss(0.1 + n * 1e-6, 1.5), 100);
      }
    }
    double log = Math.log(1e-6);
    double ratio = different.least(log).epsilon() / least.least(log).epsilon();
    assertThat(different.least(log).bound()).isEqualTo(Bound.EXACT);
    assertThat(ratio).isBetween(1.0, 1.008);
  }

  @Test
  void deltasBelowAllDoublesFallBackToTheSum() {
    Spends spends = new Spends();
    spends.addPure(0.5, 10);
    assertThat(spends.bounds(-5000).get(Bound.EXACT)).isBetween(5.0, 5 + 1e-14);
    assertThat(spends.least(Double.NEGATIVE_INFINITY).epsilon()).isBetween(5.0, 5 + 1e-14);
    spends.addMu(1);
    assertThat(spends.least(Double.NEGATIVE_INFINITY).epsilon()).isInfinite();
  }

  @Test
  void mechanismsWithoutGuaranteeAreInfinite() {
    Spends pure = new Spends();
    pure.addPure(Double.POSITIVE_INFINITY, 1);
    Spends mixed = new Spends();
    mixed.addPure(1, 1);
    mixed.addMu(Double.POSITIVE_INFINITY);
    assertThat(pure.least(-10).epsilon()).isInfinite();
    assertThat(mixed.least(-10).epsilon()).isInfinite();
    assertThat(mixed.bounds(-10)).doesNotContainKey(Bound.EXACT);
  }

  @Test
  void nothingIsEverNotANumber() {
    double[] extremes = {
      0,
      Double.MIN_VALUE,
      1e-200,
      1e-8,
      1,
      800,
      1e8,
      1e155,
      Double.MAX_VALUE,
      Double.POSITIVE_INFINITY
    };
    for (double epsilon : extremes) {
      for (double mu : extremes) {
        Spends spends = new Spends();
        spends.addPure(epsilon, 3);
        spends.addPure(epsilon / 2, 1);
        spends.addMu(mu);
        for (double logDelta : new double[] {0, -1e-9, -1, -700, -1e10, Double.NEGATIVE_INFINITY}) {
          spends
              .bounds(logDelta)
              .forEach(
                  (bound, value) ->
                      assertThat(value)
                          .as("%s of %s, %s at %s", bound, epsilon, mu, logDelta)
                          .isGreaterThanOrEqualTo(0));
        }
        spends.addRho(Math.min(mu, Double.MAX_VALUE));
        assertThat(spends.least(-1).epsilon()).isGreaterThanOrEqualTo(0);
      }
    }
  }

  @Test
  void refusalsNameTheArgumentAndTheRule() {
    Spends spends = new Spends();
    assertRefused(() -> spends.addPure(Double.NaN, 1), "epsilon is NaN; it must be at least 0");
    assertRefused(() -> spends.addPure(1, -1), "reports is -1; it must be at least 0");
    assertRefused(() -> spends.addMu(-1), "mu is -1.0; it must be at least 0");
    assertRefused(() -> spends.addRho(Double.NaN), "rho is NaN; it must be at least 0");
  }
}
