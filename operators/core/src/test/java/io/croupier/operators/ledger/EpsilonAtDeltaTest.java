package io.croupier.operators.ledger;

import static io.croupier.operators.ledger.EventAssertions.assertAdmitted;
import static io.croupier.operators.ledger.EventAssertions.assertOutcome;
import static io.croupier.schemas.AccountingEvent.Outcome.ADMITTED;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_BUDGET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.accounting.DiscreteGaussian;
import io.croupier.accounting.ExactComposition;
import io.croupier.accounting.GaussianDp;
import io.croupier.accounting.PureCosts;
import io.croupier.accounting.ZeroConcentratedDp;
import io.croupier.operators.learner.Golden;
import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Spend;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits of epsilon at a delta. */
class EpsilonAtDeltaTest extends LedgerFixture {
  private static final int SEED = 91;

  private static Limits limits(double epsilon, double delta) {
    return Limits.newBuilder().setEpsilon(epsilon).setDelta(delta).build();
  }

  private static AdmissionRules terms(double epsilon, double delta) {
    return BudgetTest.local(limits(epsilon, delta).toBuilder());
  }

  private static Totals totals(JsonNode events, Budget budget) {
    Totals totals = new Totals();
    long sequence = 0;
    for (JsonNode event : events) {
      ReportDraft report =
          event.get("kind").asText().equals("pure")
              ? TestReports.answer(sequence++, event.get("eps").asDouble())
              : TestReports.gaussian(sequence++, event.get("mu").asDouble());
      budget.charge(totals, TestReports.cost(report));
    }
    return totals;
  }

  /** Never below the exact composition, and never above the least of the loose bounds. */
  @Test
  void boundsReferenceUsers() {
    int users = 0;
    for (JsonNode ledger : Golden.read("accounting.json").get("ledger")) {
      double delta = ledger.get("delta").asDouble();
      for (JsonNode user : ledger.get("users")) {
        if (user.get("events").findValuesAsText("kind").contains("zcdp")) {
          continue; // no report declares a curve
        }
        for (double epsilon : new double[] {0.5, 3, 10}) {
          Budget budget = new Budget("limits.", limits(epsilon, delta));
          double reported = budget.toProto(totals(user.get("events"), budget)).getEpsilonAtDelta();
          JsonNode bounds = user.get("eps");
          String what = ledger.get("name").asText() + ", " + user.get("user").asText();
          assertThat(reported)
              .as(what)
              .isGreaterThanOrEqualTo(bounds.get("exact").asDouble() * (1 - 1e-10));
          assertThat(reported)
              .as(what)
              .isLessThanOrEqualTo(
                  1.002
                      * Math.min(
                          Math.min(
                              bounds.get("zcdp_tight").asDouble(), bounds.get("gdp").asDouble()),
                          bounds.get("basic").asDouble()));
        }
        users++;
      }
    }
    assertThat(users).isEqualTo(8);
  }

  @Test
  void pureReportsThatAddUpToEpsilonAlwaysFit() {
    AdmissionRules rules = terms(1, 1e-6);
    for (int n = 0; n < 10; n++) {
      assertAdmitted(answer(rules, 0.1));
    }
    AccountingEvent eleventh = answer(rules, 0.1);
    assertOutcome(eleventh, REFUSED_BUDGET)
        .startsWith(
            "limits.epsilon is 1.0 at limits.delta 1.0E-6, so the sum of Renyi divergences of order"
                + " 21.98")
        .contains("this report would add 0.0");
    assertThat(eleventh.getLeftModel().getEpsilonAtDelta()).isZero();
    assertThat(eleventh.getLeftModel().hasEpsilon()).isFalse();
  }

  @Test
  void manySmallPureReportsFitBeyondTheirSum() {
    AdmissionRules rules = terms(4, 1e-6);
    int admitted = 0;
    AccountingEvent event = answer(rules, 0.1);
    while (event.getOutcome() == ADMITTED) {
      admitted++;
      event = answer(rules, 0.1);
    }
    // The sum would admit 40; the exact composition, of reports not adaptively chosen, 74.
    assertThat(admitted).isBetween(64, 74);
    assertThat(event.getModelTotals().getEpsilonAtDelta()).isBetween(3.9, 4.1);
    assertThat(event.getModelTotals().getRenyiOrder()).isBetween(6.0, 9.0);
    assertOutcome(answer(rules, 1e-9), REFUSED_BUDGET);
  }

  @Test
  void gaussianReportsFitUpToTheExactMu() {
    double mu = GaussianDp.mu(4, Math.log(1e-6));
    AdmissionRules rules = terms(4, 1e-6);
    int fitting = (int) (mu * mu / (0.05 * 0.05));
    for (int n = 0; n < fitting; n++) {
      assertThat(gaussian(rules, 0.05).getOutcome()).as("report %s", n).isEqualTo(ADMITTED);
    }
    AccountingEvent next = gaussian(rules, 0.05);
    assertOutcome(next, REFUSED_BUDGET)
        .startsWith("limits.epsilon is 4.0 at limits.delta 1.0E-6, so the sum of mu^2 must be at")
        .endsWith("and this report would add 0.0025");
    assertThat(next.getModelTotals().getEpsilonAtDelta()).isBetween(4.0, 4.1);
  }

  @Test
  void theFirstReportSelectsTheFilter() {
    AdmissionRules rules = terms(4, 1e-6);
    gaussian(rules, 0.1);
    assertThat(answer(rules, 9).getReason()).contains("the sum of mu^2 must be");
    MapAccount other = new MapAccount();
    judge(TestReports.answer(1, 0.1), rules, other);
    assertThat(judge(TestReports.gaussian(2, 9), rules, other).getReason())
        .contains("the sum of Renyi divergences of order");
  }

  @ParameterizedTest
  @CsvSource({
    "1e-5, 1e-6, 211093.14",
    "0.1, 1e-6, 165.66925",
    "1, 1e-6, 21.984537",
    "50, 1e-9, 2.1357851"
  })
  void theOrderFollowsFromEpsilonAndDelta(double epsilon, double delta, double order) {
    assertThat(new EpsilonAtDelta(limits(epsilon, delta)).order())
        .isCloseTo(order, withinPercentage(1e-5));
  }

  @Test
  void pureReportsMayAddUpToMoreThanTheFilterAdmits() {
    AdmissionRules rules = terms(1e-5, 1e-6);
    assertAdmitted(answer(rules, 1e-5));
    assertThat(answer(rules, 1e-5).getReason())
        .startsWith(
            "limits.epsilon is 1.0E-5 at limits.delta 1.0E-6, so the sum of Renyi divergences of")
        .contains(" must be at most 0.000007368");
  }

  @Test
  void aDeltaAloneLimitsNothingButIsReported() {
    AdmissionRules rules = BudgetTest.local(Limits.newBuilder().setDelta(1e-6));
    AccountingEvent event = gaussian(rules, 50);
    assertAdmitted(event);
    assertThat(event.getModelTotals().getEpsilonAtDelta())
        .isGreaterThanOrEqualTo(GaussianDp.epsilon(50, Math.log(1e-6)))
        .isLessThanOrEqualTo(ZeroConcentratedDp.epsilon(1250, Math.log(1e-6)) + 3e-9);
    assertThat(event.getLeftModel().hasEpsilonAtDelta()).isFalse();
    assertThat(event.getUserTotals().hasEpsilonAtDelta()).isFalse();
  }

  @Test
  void aLaterLimitCountsEarlierReports() {
    AdmissionRules before = BudgetTest.local(Limits.newBuilder());
    for (int n = 0; n < 40; n++) {
      answer(before, 0.1);
    }
    gaussian(before, 0.2);
    Totals plain = account.modelTotals("m");
    assertThat(plain.renyiOrder).isZero();
    AccountingEvent event = answer(terms(8, 1e-6), 0.1);
    assertAdmitted(event);
    double order = event.getModelTotals().getRenyiOrder();
    double tight = 41 * PureCosts.renyiPicos(0.1, order) / 1e12 + order * 0.02;
    assertThat(event.getModelTotals().getRenyi()).isBetween(tight, 1.1 * tight);
    // Another limit has another order, which starts from a bound again.
    AccountingEvent changed = answer(terms(1, 1e-6), 0.1);
    assertOutcome(changed, REFUSED_BUDGET);
    assertThat(changed.getModelTotals().getRenyiOrder()).isBetween(21.9, 22.0);
  }

  /** The exact composition of the admitted reports has at most the limit's epsilon at delta. */
  @Test
  void whatIsAdmittedNeverCostsMore() {
    Random random = new Random(SEED);
    int admitted = 0;
    for (int run = 0; run < 40; run++) {
      double epsilon = Math.scalb(1 + random.nextDouble(), random.nextInt(6) - 2);
      double delta = Math.pow(10, -2 - 8 * random.nextDouble());
      String what = "seed " + SEED + ", run " + run + ", " + epsilon + " at " + delta;
      AdmissionRules rules = terms(epsilon, delta);
      MapAccount fresh = new MapAccount();
      double scale = epsilon * Math.scalb(1.0, -1 - random.nextInt(5));
      double muSquared = 0;
      Map<Double, Long> pure = new TreeMap<>();
      AccountingEvent last = null;
      for (int n = 0; n < 150; n++) {
        double level = random.nextBoolean() ? scale : scale / 3;
        boolean isPure = random.nextInt(3) > 0;
        ReportDraft report =
            isPure ? TestReports.answer(n, level) : TestReports.gaussian(n, level / 8);
        AccountingEvent event = judge(report, rules, fresh);
        if (event.getOutcome() != ADMITTED) {
          assertThat(event.getReason()).as(what).startsWith("limits.epsilon is");
          break;
        }
        last = event;
        admitted++;
        if (isPure) {
          pure.merge(level, 1L, Long::sum);
        } else {
          muSquared += level * level / 64;
        }
      }
      assertThat(last).as("the last report admitted, " + what).isNotNull();
      double exact =
          ExactComposition.of(Math.sqrt(muSquared), pure).orElseThrow().epsilon(Math.log(delta));
      assertThat(exact).as(what).isPositive().isLessThanOrEqualTo(epsilon * (1 + 1e-9));
      assertThat(last.getModelTotals().getEpsilonAtDelta())
          .as(what)
          .isGreaterThanOrEqualTo(exact * (1 - 1e-9))
          .isLessThanOrEqualTo(epsilon * (1 + 1e-9) + 1e-9);
    }
    assertThat(admitted).isGreaterThan(1000);
  }

  @Test
  void theBoundOfASaturatedSumIsInfinite() {
    AdmissionRules rules = terms(1e8, 1e-6);
    MapAccount rebuilt = new MapAccount();
    AccountingEvent pure = answer(rules, 1e7);
    assertAdmitted(pure);
    assertThat(pure.getModelTotals().getRho()).isInfinite();
    assertThat(pure.getModelTotals().getMuOfAll()).isInfinite();
    assertThat(pure.getModelTotals().getEpsilon()).isBetween(1e7, 1e7 + 1e-8);
    assertThat(pure.getModelTotals().getEpsilonAtDelta()).isBetween(1e7, 1e7 + 1e-8);
    assertThat(pure.getLeftModel().getEpsilonAtDelta()).isBetween(9e7 - 1e-6, 9e7);
    assertThat(AccountRebuild.apply(pure, rebuilt)).isTrue();
    AccountingEvent mixed = gaussian(rules, 1e4);
    assertOutcome(mixed, REFUSED_BUDGET);
    assertThat(mixed.getModelTotals().getMu()).isInfinite();
    assertThat(mixed.getModelTotals().getEpsilonAtDelta()).isInfinite();
    assertThat(mixed.getLeftModel().getEpsilonAtDelta()).isZero();
    assertThat(AccountRebuild.apply(mixed, rebuilt)).isTrue();
  }

  @Test
  void theMuOfAllBoundsWhateverCameFirst() {
    AdmissionRules rules = BudgetTest.local(Limits.newBuilder().setDelta(1e-6));
    answer(rules, 0.01);
    AccountingEvent event = gaussian(rules, 1);
    Spend totals = event.getModelTotals();
    double bound =
        DiscreteGaussian.epsilon(totals.getMuOfAll(), totals.getTotalVariation(), Math.log(1e-6));
    assertThat(bound).isBetween(4.8869, 4.8872);
    assertThat(totals.getEpsilonAtDelta()).isBetween(bound, bound + 3e-9);
  }

  private static AdmissionRules coarse(Limits.Builder limits, int gridExponent) {
    return BudgetTest.terms(
        ModelSpec.newBuilder()
            .setBlackBox(BlackBox.getDefaultInstance())
            .setGridExponent(gridExponent)
            .setLimits(limits));
  }

  /**
   * A grid step of half the noise: the bound by mu alone is 4.887, where the true delta is 1.24e-6.
   */
  @Test
  void theReportedBoundHoldsForDiscreteNoiseOnACoarseGrid() {
    // G = 1, so the sensitivity is two steps of 1, and so is the noise of mu 1.
    AccountingEvent event = gaussian(coarse(Limits.newBuilder().setDelta(1e-6), 0), 1);
    Spend totals = event.getModelTotals();
    assertThat(totals.getTotalVariation()).isBetween(2 / 96.0, 1.0 / 0);
    double reported = totals.getEpsilonAtDelta();
    assertThat(trueDelta(reported)).isLessThanOrEqualTo(1e-6);
    assertThat(trueDelta(GaussianDp.epsilon(1, Math.log(1e-6)))).isGreaterThan(1.2e-6);
    assertThat(reported)
        .isLessThanOrEqualTo(ZeroConcentratedDp.epsilon(0.5, Math.log(1e-6)) + 3e-9);
  }

  /** The delta of integer noise of deviation 2 in one coordinate, shifted by 2. */
  private static double trueDelta(double epsilon) {
    double total = 0;
    double delta = 0;
    for (int z = -100; z <= 100; z++) {
      total += Math.exp(-z * z / 8.0);
      delta +=
          Math.max(
              0, Math.exp(-z * z / 8.0) - Math.exp(epsilon) * Math.exp(-(z - 2) * (z - 2) / 8.0));
    }
    return delta / total;
  }

  @Test
  void aLimitCountsTheDistanceOfDiscreteNoise() {
    double mu = 0.5;
    double exact = GaussianDp.epsilon(mu, Math.log(1e-6));
    // A hundredth of delta is reserved for distances.
    Limits.Builder limits = limits(exact * (1 + 1e-4), 1e-6).toBuilder();
    assertOutcome(first(mu, coarse(limits, -16)), REFUSED_BUDGET);
    limits = limits(exact * (1 + 1e-2), 1e-6).toBuilder();
    assertAdmitted(first(mu, coarse(limits, -16)));
    assertOutcome(first(mu, coarse(limits, 0)), REFUSED_BUDGET).contains("Renyi divergences");
    double byRho = ZeroConcentratedDp.epsilon(mu * mu / 2, Math.log(1e-6));
    limits = limits(byRho * 1.1, 1e-6).toBuilder();
    assertAdmitted(first(mu, coarse(limits, 0)));
  }

  private AccountingEvent first(double mu, AdmissionRules rules) {
    return judge(TestReports.gaussian(0, mu), rules, new MapAccount());
  }

  /** A user's limits apply to models of all grids: a grid that is too coarse doesn't fit. */
  @Test
  void distancesOfSeveralGridsAddUp() {
    Ledger limited = new Ledger(limits(4, 1e-6));
    AdmissionRules fine = coarse(Limits.newBuilder(), -16);
    AdmissionRules coarse = coarse(Limits.newBuilder(), -2);
    assertAdmitted(limited.judge(TestReports.gaussian(0, 0.1).build(), fine, account));
    AccountingEvent event = limited.judge(TestReports.gaussian(1, 0.1).build(), coarse, account);
    assertOutcome(event, REFUSED_BUDGET)
        .contains("distance of Gaussian noise on grids from its law");
    assertThat(event.getUserTotals().getTotalVariation()).isGreaterThan(0.99 * 2 / 24.0 / 6400);
  }

  /** Equal to the last unit, whatever the size of the distance. */
  @Test
  void accountsAreRecomputedFromEventsWithTheirDistances() {
    MapAccount rebuilt = new MapAccount();
    for (int exponent : new int[] {-30, -16, -9, -5, -2, 0, 4}) {
      for (double mu : new double[] {1e-4, 0.3, 1, 7}) {
        AccountingEvent event = gaussian(coarse(limits(30, 1e-6).toBuilder(), exponent), mu);
        assertThat(event.getSpent().getTotalVariation()).isPositive();
        assertThat(AccountRebuild.apply(event, rebuilt)).as("%s %s", exponent, mu).isTrue();
      }
    }
    Totals totals = account.modelTotals("m");
    assertThat(rebuilt.modelTotals("m").variationAttos).isEqualTo(totals.variationAttos);
    assertThat(rebuilt.modelTotals("m").variationRate).isEqualTo(totals.variationRate);
  }
}
