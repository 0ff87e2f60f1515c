package io.croupier.operators.ledger;

import static io.croupier.operators.ledger.EventAssertions.assertAdmitted;
import static io.croupier.operators.ledger.EventAssertions.assertOutcome;
import static io.croupier.schemas.AccountingEvent.Outcome.ADMITTED;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_BUDGET;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_PARTICIPATION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.accounting.tree.ParticipationLimits;
import io.croupier.operators.central.BltNoise;
import io.croupier.operators.central.BltParameters;
import io.croupier.operators.learner.Golden;
import io.croupier.operators.report.ReportDraft;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.CentralSpend;
import io.croupier.schemas.Limits;
import io.croupier.schemas.PrefixSumNoise;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The charges of participants in a model with buffered linear Toeplitz noise. */
class BltChargeTest extends LedgerFixture {
  private static final int SEED = 131;

  static PrefixSumNoise noise(int buffers, long horizon) {
    return PrefixSumNoise.newBuilder()
        .setBlt(PrefixSumNoise.Blt.newBuilder().setBuffers(buffers).setHorizon(horizon))
        .build();
  }

  static AdmissionRules blt(double sigma, int buffers, long horizon, Limits.Builder limits) {
    return BudgetTest.terms(BudgetTest.linear(sigma, noise(buffers, horizon), limits));
  }

  private double charged() {
    return account.userTotals().muSquaredPicos / 1e12;
  }

  /** The squared norm of C u, by the definition of C, row by row. */
  static double squaredNorm(BltParameters parameters, int steps, List<Integer> rounds) {
    double[] rows = new double[steps];
    for (int k = 0; k < steps; k++) {
      double c = coefficient(parameters, k);
      for (int round : rounds) {
        if (round + k < steps) {
          rows[round + k] += c;
        }
      }
    }
    return Arrays.stream(rows).map(row -> row * row).sum();
  }

  private static double coefficient(BltParameters parameters, int k) {
    double c = k == 0 ? 1 : 0;
    for (int j = 0; j < parameters.buffers() && k > 0; j++) {
      c += parameters.omega()[j] * StrictMath.pow(parameters.theta()[j], k - 1);
    }
    return c;
  }

  private static BltParameters parameters(int buffers, long horizon) {
    return BltNoise.optimal(buffers, horizon, ParticipationLimits.ONCE).parameters();
  }

  @Test
  void usageExample() {
    AdmissionRules rules = blt(4, 3, 64, BudgetTest.participations(3, 9));
    double zeta = squaredNorm(parameters(3, 64), 64, List.of(0, 10, 20));
    AccountingEvent first = takePart(rules, 30);
    assertAdmitted(first);
    CentralSpend spend = first.getCentralSpend();
    assertThat(spend.getZeta()).isGreaterThan(zeta).isCloseTo(zeta, withinPercentage(1e-8));
    assertThat(spend.getNoiseMultiplier()).isEqualTo(4);
    assertThat(spend.getTrees()).isEqualTo(1);
    assertThat(spend.hasRestartEvery()).isFalse();
    assertThat(spend.getBlt().getBuffers()).isEqualTo(3);
    assertThat(spend.getBlt().getHorizon()).isEqualTo(64);
    assertThat(spend.getBlt().getMaxParticipations()).isEqualTo(3);
    assertThat(spend.getBlt().getMinSeparation()).isEqualTo(9);
    assertThat(spend.getBlt().getZeta()).isEqualTo(spend.getZeta());
    assertThat(charged()).isCloseTo(4 * zeta / 16, withinPercentage(1e-8));
    assertThat(first.getSpent().getMu()).isCloseTo(2 * Math.sqrt(zeta) / 4, withinPercentage(1e-8));
    // Later participations cost nothing.
    AccountingEvent second = takePart(rules, 40);
    assertAdmitted(second);
    assertThat(second.getCentralSpend().getZeta()).isZero();
    assertThat(second.getCentralSpend().getBlt()).isEqualTo(spend.getBlt());
    assertThat(second.getSpent().getReports()).isEqualTo(1);
    assertThat(second.getSpent().getMu()).isZero();
    assertThat(second.getUserTotals().getMu()).isEqualTo(first.getUserTotals().getMu());
    assertAdmitted(takePart(rules, 50));
    assertOutcome(takePart(rules, 60), REFUSED_PARTICIPATION);
  }

  /** One participation, with parameters found by another program. */
  @Test
  void chargesAreThoseOfTheReference() {
    JsonNode cases = Golden.read("blt.json").get("blt");
    assertThat(cases).hasSize(8);
    for (JsonNode given : cases) {
      MapAccount fresh = new MapAccount();
      int buffers = given.get("theta").size();
      long horizon = given.get("n").asLong();
      judge(
          TestReports.central(0), blt(2, buffers, horizon, BudgetTest.participations(1, 0)), fresh);
      assertThat(fresh.userTotals().muSquaredPicos / 1e12)
          .isCloseTo(given.get("sens2_single").asDouble(), withinPercentage(1e-3));
    }
  }

  private static AdmissionRules leastSquares() {
    return BudgetTest.terms(
        BudgetTest.leastSquares(3, noise(2, 50), BudgetTest.participations(2, 19)));
  }

  /** Two vectors of norm 1 each, with noise of the same level. */
  @Test
  void leastSquaresAreTwoSums() {
    AdmissionRules rules = leastSquares();
    double zeta = squaredNorm(parameters(2, 50), 50, List.of(0, 20));
    AccountingEvent event = takePart(rules, 7);
    assertThat(event.getCentralSpend().getTrees()).isEqualTo(2);
    assertThat(event.getCentralSpend().getZeta())
        .isBetween(1.125 * zeta, 1.125 * zeta * (1 + 1e-4));
    // mu of replace-one, squared: the distance of two examples is at most the root of 4.5.
    assertThat(charged()).isBetween(4.5 * zeta / 9, 4.5 * zeta / 9 * (1 + 1e-4));
  }

  /** A charge from before the bound was tightened stays, and covers the present one. */
  @Test
  void anEarlierLargerChargeForLeastSquaresCoversThePresentOne() {
    AdmissionRules rules = leastSquares();
    double zeta = squaredNorm(parameters(2, 50), 50, List.of(0, 20));
    takePart(rules, 7);
    WholeCharge before = account.wholeCharges.values().iterator().next();
    WholeCharge more = new WholeCharge();
    more.buffers = before.buffers;
    more.horizon = before.horizon;
    more.sums = before.sums;
    more.noiseMultiplier = before.noiseMultiplier;
    more.maxParticipations = before.maxParticipations;
    more.minSeparation = before.minSeparation;
    more.zeta = 2 * zeta;
    account.wholeCharges.replaceAll((model, charge) -> more);

    AccountingEvent event = takePart(rules, 30);
    assertAdmitted(event);
    assertThat(event.getCentralSpend().getZeta()).isZero();
    assertThat(account.wholeCharges.values()).containsExactly(more);
  }

  @Test
  void theModelEndsAtItsHorizon() {
    AdmissionRules rules = blt(1, 2, 9, BudgetTest.participations(9, 0));
    AccountingEvent beyond = takePart(rules, 9);
    assertOutcome(beyond, REFUSED_PARTICIPATION)
        .isEqualTo(
            "round is 9: it must be below the horizon of the model's noise, 9, at which the model"
                + " ends");
    assertThat(beyond.getSpent().getReports()).isZero();
    assertThat(account.wholeCharges).isEmpty();
    assertAdmitted(takePart(rules, 8));
    assertOutcome(takePart(rules, Long.MAX_VALUE), REFUSED_PARTICIPATION);
  }

  @Test
  void looserLimitsAreChargedTheDifference() {
    BltParameters parameters = parameters(2, 60);
    takePart(blt(1, 2, 60, BudgetTest.participations(2, 19)), 0);
    assertThat(charged())
        .isCloseTo(4 * squaredNorm(parameters, 60, List.of(0, 20)), withinPercentage(1e-8));
    AccountingEvent looser = takePart(blt(1, 2, 60, BudgetTest.participations(3, 9)), 20);
    double zeta = squaredNorm(parameters, 60, List.of(0, 10, 20));
    assertThat(charged()).isCloseTo(4 * zeta, withinPercentage(1e-8));
    assertThat(looser.getCentralSpend().getBlt().getZeta()).isCloseTo(zeta, withinPercentage(1e-8));
    assertThat(looser.getCentralSpend().getZeta()).isLessThan(zeta);
    // Tighter limits refund nothing. The loosest of each limit, four participations ten rounds
    // apart, allow more than either set of limits.
    AccountingEvent tighter = takePart(blt(1, 2, 60, BudgetTest.participations(4, 29)), 50);
    assertThat(charged())
        .isCloseTo(4 * squaredNorm(parameters, 60, List.of(0, 10, 20, 30)), withinPercentage(1e-8));
    assertThat(tighter.getCentralSpend().getBlt().getMaxParticipations()).isEqualTo(4);
    assertThat(tighter.getCentralSpend().getBlt().getMinSeparation()).isEqualTo(9);
  }

  @Test
  void theLoosestOfEachLimitIsCharged() {
    takePart(blt(1, 2, 60, BudgetTest.participations(4, 19)), 0);
    AccountingEvent event = takePart(blt(1, 2, 60, BudgetTest.participations(2, 9)), 10);
    assertThat(event.getCentralSpend().getBlt().getMaxParticipations()).isEqualTo(4);
    assertThat(event.getCentralSpend().getBlt().getMinSeparation()).isEqualTo(9);
    assertThat(charged())
        .isCloseTo(
            4 * squaredNorm(parameters(2, 60), 60, List.of(0, 10, 20, 30)), withinPercentage(1e-8));
    // Now all limits in between are charged.
    AccountingEvent back = takePart(blt(1, 2, 60, BudgetTest.participations(4, 9)), 20);
    assertThat(back.getCentralSpend().getZeta()).isZero();
  }

  /** With limits that change at any time, the charge covers the user's participations. */
  @Tag("ci")
  @Test
  void everyPatternIsChargedAtLeastItsSensitivity() {
    Random random = new Random(SEED);
    for (int run = 0; run < 40; run++) {
      MapAccount fresh = new MapAccount();
      int horizon = 1 + random.nextInt(60);
      int buffers = 1 + random.nextInt(2);
      BltParameters parameters = parameters(buffers, horizon);
      List<AdmissionRules> specs = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        specs.add(
            blt(
                1,
                buffers,
                horizon,
                BudgetTest.participations(1 + random.nextInt(8), random.nextInt(6))));
      }
      int specsInUse = run % 2 == 0 ? 1 : 3;
      List<Integer> rounds = new ArrayList<>();
      BigDecimal reported = BigDecimal.ZERO;
      for (int n = 0; n < 40; n++) {
        ReportDraft report = TestReports.central(n, random.nextInt(4) + 2L * n);
        AdmissionRules rules = specs.get(random.nextInt(specsInUse));
        AccountingEvent event = judge(report, rules, fresh);
        if (event.getOutcome() == ADMITTED) {
          rounds.add((int) report.round);
          CentralSpend spend = event.getCentralSpend();
          reported = reported.add(new BigDecimal(spend.getZeta()));
          assertThat(reported).isGreaterThanOrEqualTo(new BigDecimal(spend.getBlt().getZeta()));
        }
        assertThat(fresh.userTotals().muSquaredPicos / 4e12)
            .as("seed %s, run %s", SEED, run)
            .isGreaterThanOrEqualTo(squaredNorm(parameters, horizon, rounds));
      }
    }
  }

  /**
   * The worst allowed pattern costs exactly the charge, to the last unit: a smaller charge would be
   * too little.
   */
  @Test
  void theWorstPatternIsChargedNoMoreThanItsSensitivity() {
    BltParameters parameters = parameters(2, 30);
    for (int most = 1; most <= 6; most++) {
      for (int separation = 0; separation < 4; separation++) {
        MapAccount fresh = new MapAccount();
        AdmissionRules rules = blt(1, 2, 30, BudgetTest.participations(most, separation));
        List<Integer> rounds = new ArrayList<>();
        for (int i = 0; i < most; i++) {
          rounds.add(i * (separation + 1));
          judge(TestReports.central(i, rounds.get(i)), rules, fresh);
        }
        assertThat(fresh.userTotals().muSquaredPicos / 4e12)
            .isCloseTo(squaredNorm(parameters, 30, rounds), withinPercentage(1e-8));
      }
    }
  }

  @Test
  void aRefusedFirstReportLeavesNothingCharged() {
    assertOutcome(
        takePart(blt(1, 2, 30, BudgetTest.participations(3, 0).setMu(2)), 0), REFUSED_BUDGET);
    assertThat(account.wholeCharges).isEmpty();
    assertThat(account.userTotals().reports).isZero();
    AccountingEvent admitted = takePart(blt(1, 2, 30, BudgetTest.participations(3, 0)), 0);
    assertThat(admitted.getCentralSpend().getZeta()).isGreaterThan(3);
  }

  @Test
  void anotherMechanismUnderTheSameNameIsChargedAgain() {
    Limits.Builder limits = BudgetTest.participations(9, 0);
    double whole = takePart(blt(1, 2, 30, limits), 0).getCentralSpend().getZeta();
    assertThat(takePart(blt(1, 2, 30, limits), 1).getCentralSpend().getZeta()).isZero();
    assertThat(takePart(blt(2, 2, 30, limits), 2).getCentralSpend().getZeta()).isEqualTo(whole);
    assertThat(takePart(blt(2, 2, 40, limits), 3).getCentralSpend().getZeta()).isGreaterThan(whole);
    assertThat(takePart(blt(2, 1, 40, limits), 4).getCentralSpend().getZeta()).isPositive();
    // After a tree under the same name, the whole charge is still stored.
    assertThat(takePart(CentralChargeTest.tree(1, 64, limits), 5).getCentralSpend().getZeta())
        .isEqualTo(7);
    assertThat(takePart(blt(2, 1, 40, limits), 6).getCentralSpend().getZeta()).isZero();
    // Only the last charge is kept: this charges too much, never too little.
    assertThat(takePart(blt(1, 2, 30, limits), 7).getCentralSpend().getZeta()).isEqualTo(whole);
  }

  @Test
  void noisedReportsAndTreesDoNotChangeIt() {
    takePart(CentralChargeTest.tree(1, 8, BudgetTest.participations(9, 0)), 0);
    judge(TestReports.laplace(sequence++, 1), BudgetTest.local(Limits.newBuilder()));
    assertThat(account.accesses).doesNotContain("whole m");
    takePart(blt(1, 1, 8, BudgetTest.participations(9, 0)), 1);
    assertThat(account.accesses).contains("whole m");
  }

  /** Too many to add up one by one. */
  @Test
  void manyParticipationsAreCharged() {
    AdmissionRules rules = blt(1, 1, 1 << 17, BudgetTest.participations(1 << 17, 0));
    // All rows of C add up to at most 1 + omega / (1 - theta), and to nearly that in most rows.
    BltParameters parameters = parameters(1, 1 << 17);
    double row = 1 + parameters.omega()[0] / (1 - parameters.theta()[0]);
    double bound = (1 << 17) * row * row;
    assertThat(takePart(rules, 0).getCentralSpend().getZeta()).isBetween(bound / 2, bound);
  }
}
